//! The little of JSON that a file's header may hold: objects, strings, and lists of whole numbers.
//!
//! The caller says what may come next, and anything else is None: there is no nesting to go deep, and nothing
//! is kept that was not asked for.

use std::str;

/// A text, and how far it has been read.
pub struct Json<'a> {
    text: &'a [u8],
    pub place: usize,
}

impl<'a> Json<'a> {
    pub fn new(text: &'a [u8]) -> Self {
        Self { text, place: 0 }
    }

    fn next(&self) -> Option<u8> {
        self.text.get(self.place).copied()
    }

    pub fn space(&mut self) {
        while matches!(self.next(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.place += 1;
        }
    }

    /// What comes next but spaces.
    pub fn peek(&mut self) -> Option<u8> {
        self.space();
        self.next()
    }

    /// A number or a name, as it is written.
    pub fn bare(&mut self) -> Option<&'a str> {
        self.space();
        let start = self.place;
        while matches!(
            self.next(),
            Some(b'a'..=b'z' | b'0'..=b'9' | b'+' | b'-' | b'.' | b'E')
        ) {
            self.place += 1;
        }
        let bare = str::from_utf8(&self.text[start..self.place]).ok()?;
        let digits = bare.strip_prefix('-').unwrap_or(bare);
        let plain =
            digits == "0" || digits.starts_with("0.") || digits.starts_with("0e") || digits.starts_with("0E");
        let number = digits.starts_with(|c: char| c.is_ascii_digit()) && (plain || !digits.starts_with('0'));
        (number || matches!(bare, "null" | "true" | "false")).then_some(bare)
    }

    pub fn ends(&mut self) -> bool {
        self.space();
        self.next().is_none()
    }

    /// Steps over this byte, and spaces before it, if it comes next.
    fn take(&mut self, byte: u8) -> Option<()> {
        self.space();
        (self.next() == Some(byte)).then(|| self.place += 1)
    }

    /// Items between brackets, with commas between them.
    pub fn list(
        &mut self,
        open: u8,
        close: u8,
        most: usize,
        mut item: impl FnMut(&mut Self) -> Option<()>,
    ) -> Option<()> {
        self.take(open)?;
        if self.take(close).is_some() {
            return Some(());
        }
        for _ in 0..most {
            item(self)?;
            if self.take(b',').is_none() {
                return self.take(close);
            }
        }
        None
    }

    pub fn key(&mut self) -> Option<String> {
        let key = self.string()?;
        self.take(b':')?;
        Some(key)
    }

    pub fn numbers(&mut self) -> Option<Vec<usize>> {
        /// Python's views and NumPy's arrays have no more dimensions.
        const MOST: usize = 32;
        let mut numbers = Vec::new();
        self.list(b'[', b']', MOST, |json| {
            json.space();
            let start = json.place;
            while matches!(json.next(), Some(b'0'..=b'9')) {
                json.place += 1;
            }
            let digits = &json.text[start..json.place];
            let plain = digits.len() == 1 || digits.first() != Some(&b'0');
            numbers.push(str::from_utf8(digits).ok().filter(|_| plain)?.parse().ok()?);
            Some(())
        })?;
        Some(numbers)
    }

    pub fn string(&mut self) -> Option<String> {
        self.take(b'"')?;
        let mut string = Vec::new();
        loop {
            let start = self.place;
            while !matches!(self.next()?, b'"' | b'\\' | ..32) {
                self.place += 1;
            }
            string.extend_from_slice(&self.text[start..self.place]);
            self.place += 1;
            match self.text[self.place - 1] {
                b'"' => return String::from_utf8(string).ok(),
                b'\\' => self.escape(&mut string)?,
                _ => return None,
            }
        }
    }

    fn escape(&mut self, string: &mut Vec<u8>) -> Option<()> {
        let byte = self.next()?;
        self.place += 1;
        string.push(match byte {
            b'"' | b'\\' | b'/' => byte,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => {
                let mut units = vec![self.unit()?];
                if (0xd800..0xdc00).contains(&units[0]) {
                    self.text[self.place..].strip_prefix(b"\\u")?;
                    self.place += 2;
                    units.push(self.unit()?);
                }
                string.extend_from_slice(String::from_utf16(&units).ok()?.as_bytes());
                return Some(());
            }
            _ => return None,
        });
        Some(())
    }

    /// The four hexadecimal digits of half a character.
    fn unit(&mut self) -> Option<u16> {
        let digits = self.text.get(self.place..self.place + 4)?;
        self.place += 4;
        let plain = digits.iter().all(u8::is_ascii_hexdigit);
        u16::from_str_radix(str::from_utf8(digits).ok().filter(|_| plain)?, 16).ok()
    }
}
