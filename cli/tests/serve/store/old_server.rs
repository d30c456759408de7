//! A server that is too old, as far as a client sees it when it connects.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};

/// Starts a server of this version, and returns its URL. It ends with the test program.
pub(super) fn old_server(version: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            // It ends with the connection.
            std::thread::spawn(move || serve(stream.unwrap(), version));
        }
    });
    format!("redis://127.0.0.1:{port}")
}

fn serve(mut stream: TcpStream, version: &str) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    loop {
        let command = command(&mut reader)?;
        let knows_hello = !version.starts_with('5');
        let reply = match &*command[0].to_ascii_uppercase() {
            "HELLO" if knows_hello => format!("%2\r\n+server\r\n+redis\r\n+version\r\n+{version}\r\n"),
            "INFO" => {
                let info = format!("# Server\r\nredis_version:{version}\r\n# Replication\r\nrole:master\r\n");
                format!("${}\r\n{info}\r\n", info.len())
            }
            "PING" => "+PONG\r\n".to_owned(),
            "AUTH" | "SELECT" | "SET" => "+OK\r\n".to_owned(),
            other => format!("-ERR unknown command `{other}`, with args beginning with: \r\n"),
        };
        stream.write_all(reply.as_bytes()).ok()?;
    }
}

/// Reads a command; `None` at the end.
fn command(reader: &mut BufReader<TcpStream>) -> Option<Vec<String>> {
    let number = |reader: &mut BufReader<TcpStream>| {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        line.trim_end().get(1..)?.parse::<usize>().ok()
    };
    (0..number(reader)?)
        .map(|_| {
            let mut argument = vec![0; number(reader)? + 2];
            reader.read_exact(&mut argument).ok()?;
            argument.truncate(argument.len() - 2);
            String::from_utf8(argument).ok()
        })
        .collect()
}
