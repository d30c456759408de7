//! A store with TLS, whose certificates the test has made.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use serde_json::json;
use tempfile::TempDir;

use super::redis_server::{RedisServer, free_port};
use super::scene::{answer, relay_question, snapshot};
use super::sentinels::Sentinel;
use crate::client::until;
use crate::service::{Service, command};
use crate::upstream::{open_gate, upstream};

/// The certificate of a server, its key, and the certificate of the authority that has signed it.
struct Certificates {
    folder: TempDir,
    files: Vec<(&'static str, String)>,
}

impl Certificates {
    /// Makes a certificate for this name, by an authority of its own.
    fn of(name: &str) -> Certificates {
        let mut authority = CertificateParams::default();
        authority.distinguished_name.push(DnType::CommonName, format!("the authority of {name}"));
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new([name.to_owned()]).unwrap().signed_by(&key, &authority).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: String| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path.to_str().unwrap().to_owned()
        };
        let files = vec![
            ("tls-ca-cert-file", write("ca.pem", authority.pem())),
            ("tls-cert-file", write("certificate.pem", certificate.pem())),
            ("tls-key-file", write("key.pem", key.serialize_pem())),
        ];
        Certificates { folder, files }
    }

    /// Returns the file of the authority's certificate.
    fn ca(&self) -> PathBuf {
        self.folder.path().join("ca.pem")
    }

    /// Starts a server that listens with TLS on this port, and, unless it is the same, without TLS
    /// on another.
    fn start(&self, tls_port: u16, port: u16, more: &[&str]) -> Option<RedisServer> {
        let mut args: Vec<String> =
            ["--tls-port", &tls_port.to_string(), "--tls-auth-clients", "no"].map(str::to_owned).into();
        args.extend(self.files.iter().flat_map(|(name, path)| [format!("--{name}"), path.clone()]));
        let no_other_port: &[&str] = if port == tls_port { &["--port", "0"] } else { &[] };
        let args: Vec<&str> =
            args.iter().map(String::as_str).chain(more.iter().chain(no_other_port).copied()).collect();
        RedisServer::start_at(port, &args)
    }

    /// Starts a server with TLS alone.
    fn start_one(&self) -> Option<RedisServer> {
        let port = free_port();
        self.start(port, port, &[])
    }

    /// Starts a replica that trusts the authority.
    fn replica(&self, store: &str) -> Service {
        let base = format!("http://{}/v1", upstream().address);
        let mut command = command(&["--upstream", &base, "--store", store]);
        Service::start_by(command.env("SSL_CERT_FILE", self.ca()))
    }

    /// Asserts that replicas with this store share a conversation.
    async fn are_accepted_at(&self, store: &str, id: &str) {
        let (owner, other) = (self.replica(store), self.replica(store));
        let body = relay_question(&owner, id, &other).await;
        answer(&other, id, &json!({"number": 0, "suggestion": 0})).await.ok();
        open_gate(id).await;
        body.await.unwrap();
        until(async || snapshot(&other, id).await == snapshot(&owner, id).await).await;
    }
}

#[tokio::test]
async fn replicas_share_conversations_through_tls() {
    let certificates = Certificates::of("127.0.0.1");
    let Some(server) = certificates.start_one() else { return };
    certificates.are_accepted_at(&format!("rediss://127.0.0.1:{}", server.port), "through-tls").await;
}

#[tokio::test]
async fn replicas_share_conversations_through_a_cluster_with_tls() {
    let certificates = Certificates::of("127.0.0.1");
    let (tls_port, port, bus) = (free_port(), free_port(), free_port().to_string());
    let file = certificates.folder.path().join("nodes.conf");
    let cluster = ["--cluster-enabled", "yes", "--cluster-config-file", file.to_str().unwrap(), "--cluster-port", &bus];
    let more = ["--tls-cluster", "yes", "--cluster-announce-ip", "127.0.0.1"];
    let Some(server) = certificates.start(tls_port, port, &[&cluster[..], &more].concat()) else { return };
    server.tell("CLUSTER ADDSLOTSRANGE 0 16383");
    until(async || server.ask("CLUSTER INFO").contains("cluster_state:ok")).await;
    certificates.are_accepted_at(&format!("rediss+cluster://127.0.0.1:{tls_port}"), "cluster-with-tls").await;
}

#[tokio::test]
async fn replicas_share_conversations_through_sentinels_with_tls() {
    let certificates = Certificates::of("127.0.0.1");
    let Some(server) = certificates.start_one() else { return };
    let mut settings = format!("tls-replication yes\nsentinel monitor main 127.0.0.1 {} 1\n", server.port);
    for (name, path) in &certificates.files {
        settings += &format!("{name} {path}\n");
    }
    let port = free_port();
    settings += &format!("tls-port {port}\nport 0\ntls-auth-clients no\n");
    let _sentinel = Sentinel::start(certificates.folder.path(), port, &settings);
    certificates.are_accepted_at(&format!("rediss+sentinel://127.0.0.1:{port}/main"), "sentinels-with-tls").await;
}

/// Returns what the program says first of a store, if it trusts this authority.
fn complaint(url: &str, ca: &Path) -> String {
    let mut command = command(&["--demo", "--listen", "127.0.0.1:0", "--store", url]);
    let mut child = command.env("SSL_CERT_FILE", ca).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let _ = child.kill();
    child.wait().unwrap();
    line
}

#[test]
fn a_certificate_that_is_not_trusted_or_of_another_name_is_not_accepted() {
    let (own, others) = (Certificates::of("127.0.0.1"), Certificates::of("other.example.com"));
    let (Some(server), Some(other)) = (own.start_one(), others.start_one()) else { return };
    // The authority of the other is not trusted, and the name of the other is not its host's.
    for (server, ca, reason) in [(&server, others.ca(), "UnknownIssuer"), (&other, others.ca(), "not valid for name")] {
        let complaint = complaint(&format!("rediss://127.0.0.1:{}", server.port), &ca);
        assert!(complaint.contains("certificate") && complaint.contains(reason), "{complaint}");
    }
}
