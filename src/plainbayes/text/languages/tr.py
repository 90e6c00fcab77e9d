"""Türkçe."""

NAME = "Türkçe"
STEMMER = "turkish"
STOP = """
acaba ama ancak artık aslında az bana bazı belki ben benden beni benim beri bile bir biri birkaç birçok birşey
biz bizden bizi bizim bu buna bunda bundan bunlar bunları bunların bunu bunun burada da daha de defa değil diye
diğer dolayı en eğer gibi göre hem hep hepsi her herhangi herkes hiç hiçbir ile ise için işte kadar karşın kendi
kez ki kim kimi kimse mi mu mü mı nasıl ne neden nerede niye niçin o olan olarak oldu olduğu olmak olsa on ona
ondan onlar onlardan onları onların onu onun orada oysa rağmen sana sanki sen senden seni senin siz sizden sizi
sizin sonra tarafından tüm var ve veya ya yani yine yok zaten çok çünkü öyle üzere şey şimdi şu şuna şunu şöyle
"""
EXAMPLE = "Kediler komşu evin sıcak çatısında bir saat kadar uyudu."
