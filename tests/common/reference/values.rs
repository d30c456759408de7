//! Entities, and a value while it is read.

use super::words::is_blank;

/// "&lt; &gt; &amp; &quot; &apos;, &#N; (1 to 7 digits) and &#xH; (1 to 6 digits) are decoded [..];
/// a number that is no character (0 and surrogates included) stays as it is."
/// Returns the character of an entity at the start of `text`, and the length of the entity.
///
/// Decided: the `x` is lower case, the digits after it of either case.
pub(super) fn entity(text: &[char]) -> Option<(char, usize)> {
    if text.first() != Some(&'&') {
        return None;
    }
    // `&#` and `;` around 7 digits, or `&#x` and `;` around 6, are the longest: 10 characters.
    let semicolon = text.iter().take(10).position(|c| *c == ';')?;
    let name: String = text[1..semicolon].iter().collect();
    let c = match name.as_str() {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let (digits, radix, most) = if let Some(digits) = name.strip_prefix("#x") {
                (digits, 16, 6)
            } else if let Some(digits) = name.strip_prefix('#') {
                (digits, 10, 7)
            } else {
                return None;
            };
            if digits.is_empty() || digits.len() > most {
                return None;
            }
            if !digits.chars().all(|c| c.is_digit(radix)) {
                return None;
            }
            let number = u32::from_str_radix(digits, radix).ok()?;
            if number == 0 {
                return None;
            }
            char::from_u32(number)?
        }
    };
    Some((c, semicolon + 1))
}

/// Returns the text with its entities decoded.
pub(super) fn decode_entities(text: &str) -> String {
    let text: Vec<char> = text.chars().collect();
    let mut decoded = String::new();
    let mut index = 0;
    while index < text.len() {
        let (c, length) = entity(&text[index..]).unwrap_or((text[index], 1));
        decoded.push(c);
        index += length;
    }
    decoded
}

/// A value as it becomes certain: trimmed at both ends, and within its limit.
pub struct Value {
    /// The certain text. It begins and ends with a character that is not blank.
    pub text: String,
    /// The blanks after it: part of the value if a character follows that is not blank.
    pub(super) blanks: String,
    pub(super) limit: usize,
}

pub struct TooLong;

impl Value {
    pub fn new(limit: usize) -> Value {
        Value { text: String::new(), blanks: String::new(), limit }
    }

    /// Appends a character. Returns the text that becomes certain with it.
    ///
    /// "A value passes its limit with the first character that is not blank and would end beyond
    /// it."
    pub fn push(&mut self, c: char) -> Result<String, TooLong> {
        if is_blank(c) {
            if !self.text.is_empty() {
                self.blanks.push(c);
            }
            return Ok(String::new());
        }
        let mut known = std::mem::take(&mut self.blanks);
        known.push(c);
        if self.text.len() + known.len() > self.limit {
            return Err(TooLong);
        }
        self.text.push_str(&known);
        Ok(known)
    }
}
