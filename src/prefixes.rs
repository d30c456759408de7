//! The first characters of names: a quick check of what a `<` begins.

/// The first three characters of some names.
///
/// By the code of the first: a bit for each second, and one for each third, by the last five bits
/// of its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Prefixes([[u32; 2]; 128]);

impl Prefixes {
    pub(crate) const NONE: Prefixes = Prefixes([[0; 2]; 128]);

    /// Returns the prefixes with that of one name more. After the end of a name comes anything.
    pub(crate) const fn with(mut self, name: &[u8]) -> Prefixes {
        let [first, ref rest @ ..] = *name else { return self };
        let bits = match *rest {
            [second, third, ..] => [1 << (second % 32), 1 << (third % 32)],
            [second] => [1 << (second % 32), u32::MAX],
            [] => [u32::MAX; 2],
        };
        if first < 128 {
            let [seconds, thirds] = self.0[first as usize];
            self.0[first as usize] = [seconds | bits[0], thirds | bits[1]];
        }
        self
    }

    /// Returns `false` if no name and no beginning of one is what the text begins with.
    ///
    /// A name must be ASCII. `true` may be wrong.
    #[inline]
    pub(crate) fn may_begin(&self, text: &[u8]) -> bool {
        match *text {
            [first, second, third, ..] if first < 128 => {
                let [seconds, thirds] = self.0[usize::from(first)];
                (seconds >> (second % 32)) & (thirds >> (third % 32)) & 1 == 1
            }
            [first, second] if first < 128 => self.0[usize::from(first)][0] >> (second % 32) & 1 == 1,
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_and_each_beginning_of_it_is_found() {
        let names = ["read_file", "a", "|", "invoke"];
        let prefixes = names.iter().fold(Prefixes::NONE, |prefixes, name| prefixes.with(name.as_bytes()));
        for name in names {
            for len in 0..=name.len() {
                assert!(prefixes.may_begin(&name.as_bytes()[..len]), "{name} {len}");
            }
        }
        assert!(prefixes.may_begin(b"a>") && prefixes.may_begin(b"|s"));
        for other in ["rust", "li>", "/read_file", "   ", "ul ", "inn", "re "] {
            assert!(!prefixes.may_begin(other.as_bytes()), "{other}");
        }
    }
}
