"""Svenska."""

NAME = "Svenska"
STEMMER = "swedish"
STOP = """
alla allt att av blev bli blir blivit de dem den denna deras dess dessa det detta dig din dina ditt du där då
efter ej eller en er era ert ett från för ha hade han hans har henne hennes hon honom hur i icke ingen inom inte
jag ju kan kunde man med mellan men mig min mina mitt mot mycket ni nu när någon något några och om oss på sedan
sig sin sina sitt själv ska skulle som så sådan till under upp ut utan vad var vara varför varit vars vem vi vid
vilka vilken vår våra vårt än är
"""
EXAMPLE = "Katterna sov på det varma taket till grannens hus."
