"""Bahasa Indonesia."""

NAME = "Bahasa Indonesia"
STEMMER = "indonesian"
STOP = """
ada adalah agar akan aku anda antara apa apabila apakah atas atau bagaimana bagi bahwa bila bisa boleh bukan
dalam dan dapat dari daripada demikian dengan di dia hanya harus hingga ia ini itu jadi jangan jika juga kalau
kami kamu karena ke kepada ketika kita lagi lain lebih maka masih mereka mungkin namun nya oleh pada paling para
pernah pula saat saja sambil sampai sangat saya sebagai sebelum sebuah sedang sejak seluruh semua seorang
seperti serta sesudah setelah setiap suatu sudah supaya tanpa tapi telah tentang terhadap tetapi tidak untuk
yaitu yakni yang
"""
EXAMPLE = "Kucing-kucing itu tertidur di atas atap rumah tetangganya yang hangat."
