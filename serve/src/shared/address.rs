//! Where the store is: the URL of one server, of a cluster, or of sentinels.

use std::fmt;

use redis::{ConnectionAddr, ConnectionInfo, IntoConnectionInfo, ProtocolVersion};

/// Where the store is.
#[derive(Clone)]
pub(crate) enum StoreAddress {
    /// `redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE]`
    One(ConnectionInfo),
    /// `redis+cluster://[USER:PASSWORD@]HOST[:PORT][,HOST[:PORT]…]`
    Cluster(Vec<ConnectionInfo>),
    /// `redis+sentinel://[USER:PASSWORD@]HOST[:PORT][,HOST[:PORT]…]/NAME[/DATABASE][?LOGIN]`
    ///
    /// LOGIN is that of all the sentinels: `[sentinel_username=USER&]sentinel_password=PASSWORD`.
    Sentinel { sentinels: Vec<ConnectionInfo>, name: String, server: ConnectionInfo },
}

/// The port of a sentinel.
const SENTINEL_PORT: u16 = 26379;

/// The text is not the URL of a store. Says what is wrong, without the URL: it may hold a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BadAddress(String);

impl fmt::Display for BadAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for StoreAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown())
    }
}

const USAGE: &str = "\
it should be redis://HOST:PORT, redis+cluster://HOST:PORT,HOST:PORT or \
redis+sentinel://HOST:PORT,HOST:PORT/NAME, with rediss in place of redis for TLS";

const SENTINEL_LOGIN: &str = "\
after the name of the primary, only ?sentinel_username=USER&sentinel_password=PASSWORD is possible, the login of the \
sentinels; in it, write / as %2F, @ as %40, and : as %3A";

impl StoreAddress {
    /// Reads a URL.
    ///
    /// # Errors
    ///
    /// If it is not the URL of a store.
    pub(crate) fn parse(url: &str) -> Result<StoreAddress, BadAddress> {
        let usage = || BadAddress(USAGE.to_owned());
        let (scheme, rest) = url.split_once("://").ok_or_else(usage)?;
        let (scheme, kind) = scheme.split_once('+').unwrap_or((scheme, ""));
        let scheme = match scheme {
            "redis" | "valkey" => "redis",
            "rediss" | "valkeys" => "rediss",
            _ => return Err(usage()),
        };
        if kind.is_empty() {
            return Ok(StoreAddress::One(server(&format!("{scheme}://{rest}"))?));
        }
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (user, hosts) = rest.rsplit_once('@').map_or(("", rest), |(user, hosts)| (user, hosts));
        let user = if user.is_empty() { String::new() } else { format!("{user}@") };
        let (hosts, path) = hosts.split_once('/').unwrap_or((hosts, ""));
        let hosts: Vec<&str> = hosts.split(',').collect();
        if hosts.iter().any(|host| host.is_empty()) {
            return Err(usage());
        }
        match kind {
            "cluster" if !query.is_empty() => Err(usage()),
            "cluster" if matches!(path, "" | "0") => {
                let nodes = hosts.iter().map(|host| server(&format!("{scheme}://{user}{host}")));
                Ok(StoreAddress::Cluster(nodes.collect::<Result<_, _>>()?))
            }
            "cluster" => Err(BadAddress("a cluster has only the database 0".to_owned())),
            "sentinel" => {
                let (name, database) = path.split_once('/').unwrap_or((path, ""));
                if name.is_empty() {
                    return Err(BadAddress(
                        "after the sentinels, the name of the primary is missing: /NAME".to_owned(),
                    ));
                }
                let login = sentinel_login(query).ok_or_else(|| BadAddress(SENTINEL_LOGIN.to_owned()))?;
                let sentinel = |host: &&str| {
                    let has_port = host.rsplit_once(']').map_or(*host, |(_, port)| port).contains(':');
                    let port = if has_port { String::new() } else { format!(":{SENTINEL_PORT}") };
                    server(&format!("{scheme}://{login}{host}{port}"))
                };
                let sentinels = hosts.iter().map(sentinel).collect::<Result<_, _>>()?;
                // The sentinels say where it is; the rest counts.
                let server = server(&format!("{scheme}://{user}localhost/{database}"))?;
                Ok(StoreAddress::Sentinel { sentinels, name: name.to_owned(), server })
            }
            _ => Err(usage()),
        }
    }

    /// Returns the address without user and password.
    pub(crate) fn shown(&self) -> String {
        let all =
            |nodes: &[ConnectionInfo]| nodes.iter().map(|node| node.addr().to_string()).collect::<Vec<_>>().join(",");
        match self {
            StoreAddress::One(node) => node.addr().to_string(),
            StoreAddress::Cluster(nodes) => format!("the cluster of {}", all(nodes)),
            StoreAddress::Sentinel { sentinels, name, .. } => format!("{name}, of the sentinels {}", all(sentinels)),
        }
    }
}

/// Returns another server of a cluster, which is reached as this one is.
pub(super) fn beside(node: &ConnectionInfo, host: &str, port: u16) -> ConnectionInfo {
    let mut address = node.addr().clone();
    match &mut address {
        ConnectionAddr::Tcp(of_node, port_of_node)
        | ConnectionAddr::TcpTls { host: of_node, port: port_of_node, .. } => {
            (*of_node, *port_of_node) = (host.to_owned(), port);
        }
        // A URL with several hosts leads to none.
        _ => {}
    }
    node.clone().set_addr(address)
}

/// Reads the login of the sentinels.
///
/// Returns it as a URL has it before a host; `None` if it is none.
fn sentinel_login(query: &str) -> Option<String> {
    let (mut user, mut password) = ("", "");
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        match pair.split_once('=')? {
            ("sentinel_username", value) => user = value,
            ("sentinel_password", value) => password = value,
            _ => return None,
        }
    }
    // A host may not begin in the middle of it.
    let is_login = !format!("{user}{password}").contains(['/', '@', ':']);
    is_login.then(|| if query.is_empty() { String::new() } else { format!("{user}:{password}@") })
}

/// Reads the URL of one server. The connection uses RESP3, which mixes replies and messages.
fn server(url: &str) -> Result<ConnectionInfo, BadAddress> {
    let info = url.into_connection_info().map_err(|error| {
        BadAddress(format!("{}: {USAGE}", error.detail().map_or_else(|| error.to_string(), str::to_owned)))
    })?;
    let settings = info.redis_settings().clone().set_protocol(ProtocolVersion::RESP3);
    Ok(info.set_redis_settings(settings))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(url: &str) -> String {
        StoreAddress::parse(url).map_or_else(|error| error.to_string(), |address| address.shown())
    }

    #[test]
    fn a_server_a_cluster_and_sentinels_are_told_apart() {
        assert_eq!(shown("redis://localhost"), "localhost:6379");
        assert_eq!(shown("rediss://user:s3cret@store.example.com:7000/2"), "store.example.com:7000");
        assert_eq!(shown("valkey://10.0.0.1:1"), "10.0.0.1:1");
        assert_eq!(shown("redis+cluster://u:p@a:1,b:2"), "the cluster of a:1,b:2");
        assert_eq!(shown("redis+sentinel://:p@a,b:2/main/3"), "main, of the sentinels a:26379,b:2");
        let StoreAddress::Sentinel { server, .. } = StoreAddress::parse("redis+sentinel://:p@a/main/3").unwrap() else {
            panic!()
        };
        assert_eq!((server.redis_settings().db(), server.redis_settings().password()), (3, Some("p")));
    }

    #[test]
    fn sentinels_have_a_login_of_their_own() {
        let login = |url: &str| {
            let StoreAddress::Sentinel { sentinels, server, .. } = StoreAddress::parse(url).unwrap() else { panic!() };
            let of = |info: &ConnectionInfo| {
                let (user, password) = (info.redis_settings().username(), info.redis_settings().password());
                (user.map(str::to_owned), password.map(str::to_owned))
            };
            let all: Vec<_> = sentinels.iter().map(of).collect();
            assert!(all.iter().all(|one| *one == all[0]));
            (of(&server), all[0].clone())
        };
        let pair = |user: Option<&str>, password: Option<&str>| (user.map(str::to_owned), password.map(str::to_owned));
        let (none, of_server) = (pair(None, None), pair(Some("u"), Some("p")));
        let url = "redis+sentinel://u:p@a,b:2/main";
        assert_eq!(login(url), (of_server.clone(), none));
        let with = |query: &str| login(&format!("{url}?{query}"));
        assert_eq!(with("sentinel_password=x%40y"), (of_server.clone(), pair(None, Some("x@y"))));
        assert_eq!(with("sentinel_username=s&sentinel_password=q"), (of_server, pair(Some("s"), Some("q"))));
    }

    #[test]
    fn other_texts_are_refused_without_showing_a_password() {
        for url in [
            "",
            "localhost",
            "http://a",
            "redis:a",
            "redis+cluster://",
            "redis+cluster://a,,b",
            "redis+cluster://a/1",
            "redis+sentinel://a",
            "redis+other://a",
            "redis://u:s3cret@a:port",
            "redis+sentinel://:s3cret@a:x/main",
            "redis+sentinel://a/main?password=s3cret",
            "redis+sentinel://a/main?sentinel_password=s3cret@b",
            "redis+cluster://a?sentinel_password=s3cret",
        ] {
            let error = StoreAddress::parse(url).unwrap_err().to_string();
            assert!(error.len() > 20 && !error.contains("s3cret"), "{url}: {error}");
        }
    }
}
