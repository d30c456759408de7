//! What is wrong with a connection to the provider, in words for people.

use std::error::Error;
use std::io;

/// Explains an error of a connection.
///
/// In plain words if its cause is a common one, else with all its sources.
pub(super) fn explain(error: &(dyn Error + 'static)) -> String {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(plain) = error.downcast_ref::<io::Error>().and_then(plain_words) {
            return plain.into();
        }
        next = error.source();
    }
    with_sources(error)
}

fn plain_words(error: &io::Error) -> Option<&'static str> {
    Some(match error.kind() {
        io::ErrorKind::ConnectionRefused => "the connection was refused, so no server seems to run at this address",
        io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted | io::ErrorKind::BrokenPipe => {
            "the connection was closed from the other side"
        }
        io::ErrorKind::UnexpectedEof => "the connection ended too early",
        io::ErrorKind::TimedOut => "connecting took too long",
        io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => "there is no way to it on the network",
        // The standard library has no kind for this.
        _ if error.to_string().contains("lookup") => "no address is known for this name",
        _ => return None,
    })
}

/// Writes an error with its sources, which say more.
fn with_sources(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        source = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As a client library hands it out: inside another error.
    #[derive(Debug)]
    struct Outer(io::Error);

    impl std::fmt::Display for Outer {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("client error")
        }
    }

    impl Error for Outer {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            Some(&self.0)
        }
    }

    #[test]
    fn common_causes_are_explained_without_the_words_of_the_system() {
        for (error, expected) in [
            (io::Error::from_raw_os_error(if cfg!(windows) { 10061 } else { 111 }), "refused"),
            (io::Error::other("failed to lookup address information: Name or service not known"), "no address"),
            (io::ErrorKind::UnexpectedEof.into(), "ended too early"),
        ] {
            let text = explain(&Outer(error));
            assert!(text.contains(expected) && !text.contains("os error"), "{text}");
        }
        let other = Outer(io::Error::other("invalid peer certificate"));
        assert_eq!(explain(&other), "client error: invalid peer certificate");
    }
}
