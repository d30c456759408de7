//! The terminal, whatever standard input and output are.

#[cfg(windows)]
pub(crate) use self::console::{Device, TypedInput, input, output};
#[cfg(not(windows))]
pub(crate) use self::file::{Device, TypedInput, input, output};

#[cfg(not(windows))]
mod file {
    use std::fs::{File, OpenOptions};
    use std::io::BufReader;

    /// What is typed.
    pub(crate) type TypedInput = BufReader<File>;

    /// The terminal to write to.
    pub(crate) type Device = File;

    /// Returns what is typed; `None` if there is no terminal.
    pub(crate) fn input() -> Option<TypedInput> {
        output().map(BufReader::new)
    }

    /// Opens the terminal to write to; `None` if there is none.
    pub(crate) fn output() -> Option<Device> {
        OpenOptions::new().read(true).write(true).open("/dev/tty").ok()
    }
}

/// A file of the console takes bytes in the console's code page, which is seldom UTF-8.
#[cfg(windows)]
mod console {
    use std::fs::OpenOptions;
    use std::io::{self, BufReader, IsTerminal, Read, Write};

    use crossterm_winapi::{Console, Handle};

    use super::prefix;

    /// What is typed.
    pub(crate) type TypedInput = BufReader<Box<dyn Read>>;

    /// The console to write to.
    #[derive(Clone, Debug)]
    pub(crate) struct Device(Console);

    /// Returns what is typed; `None` if there is no console.
    ///
    /// It is UTF-8 if standard input is the console. Otherwise it is in the console's code page,
    /// because to read UTF-16 from it takes `unsafe` code.
    pub(crate) fn input() -> Option<TypedInput> {
        let stdin = io::stdin();
        if stdin.is_terminal() {
            return Some(BufReader::new(Box::new(stdin)));
        }
        let file = OpenOptions::new().read(true).write(true).open("CONIN$").ok()?;
        Some(BufReader::new(Box::new(file)))
    }

    /// Opens the console to write to; `None` if there is none.
    pub(crate) fn output() -> Option<Device> {
        Some(Device(Console::from(Handle::current_out_handle().ok()?)))
    }

    impl Device {
        pub(crate) fn try_clone(&self) -> io::Result<Device> {
            Ok(self.clone())
        }
    }

    impl Write for Device {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            match prefix(bytes) {
                "" if !bytes.is_empty() => Err(io::ErrorKind::InvalidData.into()),
                "" => Ok(0),
                text => self.0.write_char_buffer(text.as_bytes()),
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
}

/// The most bytes that are written to a console at once: it refuses long texts.
#[cfg(any(windows, test))]
const MAX_WRITE: usize = 8 << 10;

/// Returns as much of these bytes as is UTF-8 and can be written at once.
#[cfg(any(windows, test))]
fn prefix(bytes: &[u8]) -> &str {
    let bytes = &bytes[..bytes.len().min(MAX_WRITE)];
    bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let text = format!("a{}", "é".repeat(MAX_WRITE));
        let mut written = String::new();
        while written.len() < text.len() {
            let part = prefix(&text.as_bytes()[written.len()..]);
            assert!((1..=MAX_WRITE).contains(&part.len()));
            written += part;
        }
        assert_eq!(written, text);
        assert_eq!((prefix(b""), prefix(b"\xE9a"), prefix("aé".as_bytes().split_at(2).0)), ("", "", "a"));
    }
}
