//! How the number of times a word stands in a text becomes a value.

#[derive(Clone, Copy, PartialEq)]
pub enum Form {
    Count,
    Presence,
    Log,
}

pub const FORMS: [Form; 3] = [Form::Count, Form::Presence, Form::Log];

impl Form {
    pub fn named(name: &str) -> Option<Self> {
        let place = ["count", "presence", "log"]
            .iter()
            .position(|form| *form == name)?;
        Some(FORMS[place])
    }

    #[inline(always)]
    pub fn value(self, times: f64) -> f64 {
        match self {
            Self::Count => times,
            Self::Presence => 1.0,
            Self::Log => 1.0 + times.ln(),
        }
    }
}
