"""Nederlands."""

NAME = "Nederlands"
STEMMER = "dutch"
STOP = """
aan achter al alle alles als altijd andere ben bij daar dan dat de deze die dit doch doen door dus een eens en
er ge geen haar had hadden heb hebben heeft hem het hier hij hoe hun iemand iets ik in is ja je jij jou jouw kan
kon kunnen maar me meer men met mij mijn moet na naar niet niets nog nu of om omdat ons onze ook op over reeds
te tegen toch toen tot u uit uw van veel voor want waren was wat we wel werd wezen wie wij wil worden wordt zal
ze zei zelf zich zij zijn zo zonder zou
"""
EXAMPLE = "De katten sliepen op het warme dak van het huis van de buren."
