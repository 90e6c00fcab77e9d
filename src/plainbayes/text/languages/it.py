"""Italiano."""

NAME = "Italiano"
STEMMER = "italian"
STOP = """
a abbiamo ad agli ai al alla alle allo altra altre altri altro anche ancora avere aveva avevano c'è che chi ci
ciò coi col come con contro cui da dagli dai dal dalla dalle dallo degli dei del della delle dello dentro di
dopo dove due e ed era erano essere fa fino fra gli ha hai hanno ho i il in io l'ha la le lei li lo loro lui ma
me mentre mi mia mie miei mio molto ne negli nei nel nella nelle nello noi non nostra nostre nostri nostro o
ogni oppure per perché però più poco poi prima qua quale quali quando quanto quasi quella quelle quelli quello
questa queste questi questo qui quindi sarà se sei senza si sia siamo sono sopra sotto sta stata stati stato su
sua sue sugli sui sul sulla sulle suo suoi tanto te ti tra tu tua tue tuo tuoi tutta tutte tutti tutto un una
uno vi voi vostra vostro è
"""
EXAMPLE = "I gatti dormivano sul tetto caldo della casa vicina."
