"""Français."""

NAME = "Français"
STEMMER = "french"
STOP = """
ai ainsi alors au aucun aucune aussi autre autres aux avaient avait avant avec avez avoir avons c'est car ce
ceci cela celle celles celui ces cet cette ceux chaque chez comme comment d'un d'une dans de depuis des dont du
elle elles en encore entre es est et eu eux fait font hors il ils j'ai je la le les leur leurs lors lui là ma
mais me mes moi moins mon même mêmes n'est ne ni nos notre nous on ont ou où par parce pas pendant peu peut plus
pour pourquoi qu'elle qu'il quand que quel quelle quelles quels qui quoi s'est sa sans se sera ses si son sont
sous suis sur ta te tes toi ton tous tout toute toutes trop très tu un une vers voici voilà vos votre vous y à
ça étaient était étant été être
"""
EXAMPLE = "Les chats dormaient sur le toit chaud de la maison voisine."
