"""Español."""

NAME = "Español"
STEMMER = "spanish"
STOP = """
a al algo algunas algunos ante antes aquel aquella aquellas aquellos aquí así aunque aún cada como con contra
cual cuales cuando de del desde donde dos durante e el ella ellas ellos en entre era eran eras eres es esa esas
ese eso esos esta estaba estaban estado estar estas este esto estos estoy está están fue fueron ha había habían
han has hasta hay he la las le les lo los me mi mis mucho muchos muy más mí nada ni no nos nosotras nosotros
nuestra nuestras nuestro nuestros o os otra otras otro otros para pero poco por porque que quien quienes qué se
sea según ser si sido sin sobre sois somos son soy su sus suya suyas suyo suyos sí también tan tanto te tengo
tenía ti tiene tienen todo todos tu tus tuya tuyo tú un una unas uno unos vosotras vosotros vuestra vuestro y ya
yo él
"""
EXAMPLE = "Los gatos dormían en el tejado caliente de la casa vecina."
