//! The tokens of one text: stretches of normalised bytes.

/// Behind the last token there is room to read so many bytes at once.
pub const ROOM: usize = 16;

/// Where a token begins and ends.
pub type Span = [u32; 2];

/// `spans` are places in `bytes`, which end with `ROOM` zeros that belong to no token.
#[derive(Default)]
pub struct Tokens {
    pub bytes: Vec<u8>,
    pub spans: Vec<Span>,
    /// So many of them are words; n-grams of characters beside them follow.
    pub first: usize,
}

impl Tokens {
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.spans.clear();
        self.first = 0;
    }

    /// The tokens in their order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.spans
            .iter()
            .map(|&[start, end]| &self.bytes[start as usize..end as usize])
    }
}
