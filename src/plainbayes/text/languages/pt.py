"""Português."""

NAME = "Português"
STEMMER = "portuguese"
STOP = """
a ao aos aquela aquelas aquele aqueles aquilo as até cada com como da das de dela delas dele deles depois do dos
e ela elas ele eles em entre era eram essa essas esse esses esta estamos estar estas estava estavam este estes
estou está estão eu foi fomos for foram fui há isso isto já lhe lhes mais mas me mesmo meu meus minha minhas
muito na nas nem no nos nossa nossas nosso nossos num numa não nós o onde os ou para pela pelas pelo pelos pois
por porque quais qual quando que quem se seja sem sendo ser será seu seus sob sobre sou sua suas são só também
te tem tenho ter teu teus teve tinha tinham tu tua tuas tudo têm um uma umas uns você vocês vos à às é
"""
EXAMPLE = "Os gatos dormiam no telhado quente da casa vizinha."
