"""Polski."""

NAME = "Polski"
STEMMER = "polish"
STOP = """
a aby albo ale ani aż bardzo bez bo by być był była było były będzie będą ci co coś czy czyli dla dlaczego do
gdy gdyby gdzie go i ich ile im inne inny ja jak jaki jako je jednak jednego jego jej jemu jest jestem jeszcze
jeśli jeżeli już każdy kiedy kto która które którego której który których którym którzy ku lub ma mają mam mi
mimo mnie mną może można my mój na nad nam nas nasz nasza nic nich nie nim niż no o od on ona one oni ono oraz
po pod ponieważ przed przez przy się skąd sobie swoje są ta tak taki tam te tego tej temu ten też to tobie tu
twój ty tych tylko tym u w wam was wasz we wiele więc wszystko wy z za ze że
"""
EXAMPLE = "Koty spały na ciepłym dachu domu sąsiada."
