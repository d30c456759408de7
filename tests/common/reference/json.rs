//! A list that is a JSON array.

/// Returns the strings, numbers and booleans of a JSON array (RFC 8259) as text; `None` if the text
/// is no array.
pub(super) fn json_list(text: &str) -> Option<Vec<String>> {
    let mut json = Json { text: text.chars().collect(), index: 0 };
    json.space();
    if json.peek() != Some('[') {
        return None;
    }
    let items = json.array(1)?;
    json.space();
    match json.peek() {
        None => Some(items),
        Some(_) => None,
    }
}

pub(super) struct Json {
    pub(super) text: Vec<char>,
    pub(super) index: usize,
}

impl Json {
    pub fn peek(&self) -> Option<char> {
        self.text.get(self.index).copied()
    }

    /// Skips this character if it is next.
    pub(super) fn eat(&mut self, c: char) -> Option<()> {
        if self.peek() != Some(c) {
            return None;
        }
        self.index += 1;
        Some(())
    }

    /// `ws = *( %x20 / %x09 / %x0A / %x0D )`
    pub(super) fn space(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t' | '\n' | '\r')) {
            self.index += 1;
        }
    }

    /// A value: `Some(Some(text))` for a string, a number or a boolean, `Some(None)` for another
    /// one.
    pub(super) fn value(&mut self, depth: usize) -> Option<Option<String>> {
        match self.peek()? {
            '"' => Some(Some(self.string()?)),
            '-' | '0'..='9' => Some(Some(self.number()?)),
            't' => Some(Some(self.word("true")?)),
            'f' => Some(Some(self.word("false")?)),
            'n' => {
                self.word("null")?;
                Some(None)
            }
            '[' => {
                self.array(depth + 1)?;
                Some(None)
            }
            '{' => {
                self.object(depth + 1)?;
                Some(None)
            }
            _ => None,
        }
    }

    /// `[ value *( , value ) ]`
    pub(super) fn array(&mut self, depth: usize) -> Option<Vec<String>> {
        if depth > 128 {
            return None;
        }
        let mut items = Vec::new();
        self.eat('[')?;
        self.space();
        if self.eat(']').is_some() {
            return Some(items);
        }
        loop {
            self.space();
            if let Some(item) = self.value(depth)? {
                items.push(item);
            }
            self.space();
            if self.eat(']').is_some() {
                return Some(items);
            }
            self.eat(',')?;
        }
    }

    /// `{ string : value *( , string : value ) }`
    pub(super) fn object(&mut self, depth: usize) -> Option<()> {
        if depth > 128 {
            return None;
        }
        self.eat('{')?;
        self.space();
        if self.eat('}').is_some() {
            return Some(());
        }
        loop {
            self.space();
            self.string()?;
            self.space();
            self.eat(':')?;
            self.space();
            self.value(depth)?;
            self.space();
            if self.eat('}').is_some() {
                return Some(());
            }
            self.eat(',')?;
        }
    }

    pub(super) fn word(&mut self, word: &str) -> Option<String> {
        for c in word.chars() {
            self.eat(c)?;
        }
        Some(word.to_string())
    }

    pub(super) fn digits(&mut self) -> Option<()> {
        if !self.peek()?.is_ascii_digit() {
            return None;
        }
        while self.peek().is_some_and(|c| c.is_ascii_digit()) {
            self.index += 1;
        }
        Some(())
    }

    /// `[ - ] int [ . digits ] [ e digits ]`, kept as it is written.
    pub(super) fn number(&mut self) -> Option<String> {
        let from = self.index;
        let _ = self.eat('-');
        if self.eat('0').is_none() {
            self.digits()?;
        }
        if self.eat('.').is_some() {
            self.digits()?;
        }
        if self.eat('e').is_some() || self.eat('E').is_some() {
            if self.eat('+').is_none() {
                let _ = self.eat('-');
            }
            self.digits()?;
        }
        Some(self.text[from..self.index].iter().collect())
    }

    pub(super) fn string(&mut self) -> Option<String> {
        let mut string = String::new();
        self.eat('"')?;
        loop {
            let c = self.peek()?;
            self.index += 1;
            match c {
                '"' => return Some(string),
                '\\' => {
                    let escape = self.peek()?;
                    self.index += 1;
                    string.push(match escape {
                        '"' | '\\' | '/' => escape,
                        'b' => '\u{8}',
                        'f' => '\u{C}',
                        'n' => '\n',
                        'r' => '\r',
                        't' => '\t',
                        'u' => self.unicode_escape()?,
                        _ => return None,
                    });
                }
                '\0'..='\u{1F}' => return None,
                c => string.push(c),
            }
        }
    }

    /// Reads an escape after its `\u`, with a second one if the two are a pair. A surrogate alone
    /// is U+FFFD.
    pub(super) fn unicode_escape(&mut self) -> Option<char> {
        let unit = self.four_digits()?;
        if (0xD800..0xDC00).contains(&unit) {
            let after = self.index;
            if self.eat('\\').is_some() && self.eat('u').is_some() {
                let low = self.four_digits()?;
                if (0xDC00..0xE000).contains(&low) {
                    return char::from_u32(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00));
                }
            }
            self.index = after;
        }
        Some(char::from_u32(unit).unwrap_or('\u{FFFD}'))
    }

    pub(super) fn four_digits(&mut self) -> Option<u32> {
        let mut unit = 0;
        for _ in 0..4 {
            unit = unit * 16 + self.peek()?.to_digit(16)?;
            self.index += 1;
        }
        Some(unit)
    }
}
