//! A store with TLS, whose certificate the test has made.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use serde_json::json;
use tempfile::TempDir;

use super::redis_server::{RedisServer, free_port};
use super::scene::{answer, asks_and_continues, is_asked, relay, snapshot};
use crate::client::until;
use crate::service::{Service, command};
use crate::upstream::{open_gate, upstream};

/// A server with TLS, and the certificate of the authority that has signed its own.
struct TlsServer {
    redis: RedisServer,
    folder: TempDir,
}

impl TlsServer {
    /// Starts a server whose certificate is for this name.
    fn start(name: &str) -> Option<TlsServer> {
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
        let (ca, certificate) = (write("ca.pem", authority.pem()), write("certificate.pem", certificate.pem()));
        let key = write("key.pem", key.serialize_pem());
        let (port, files) =
            (free_port(), ["--tls-ca-cert-file", &ca, "--tls-cert-file", &certificate, "--tls-key-file", &key]);
        let tls_port = port.to_string();
        let args = [&["--port", "0", "--tls-port", &tls_port, "--tls-auth-clients", "no"][..], &files].concat();
        Some(TlsServer { redis: RedisServer::start_at(port, &args)?, folder })
    }

    fn url(&self) -> String {
        format!("rediss://127.0.0.1:{}", self.redis.port)
    }

    /// Returns the file of the authority's certificate.
    fn ca(&self) -> PathBuf {
        self.folder.path().join("ca.pem")
    }

    /// Starts a replica that trusts the authority.
    fn replica(&self) -> Service {
        let base = format!("http://{}/v1", upstream().address);
        let mut command = command(&["--upstream", &base, "--store", &self.url()]);
        Service::start_by(command.env("SSL_CERT_FILE", self.folder.path().join("ca.pem")))
    }
}

#[tokio::test]
async fn replicas_share_conversations_through_tls() {
    let Some(server) = TlsServer::start("127.0.0.1") else { return };
    let (owner, other) = (server.replica(), server.replica());
    let id = "through-tls";
    let body = relay(&owner, id, &asks_and_continues(id)).await;
    until(async || is_asked(&other, id).await).await;
    answer(&other, id, &json!({"number": 0, "suggestion": 0})).await.ok();
    open_gate(id).await;
    body.await.unwrap();
    until(async || snapshot(&other, id).await == snapshot(&owner, id).await).await;
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
    let Some(server) = TlsServer::start("127.0.0.1") else { return };
    let Some(other) = TlsServer::start("other.example.com") else { return };
    for (url, reason) in [(server.url(), "UnknownIssuer"), (other.url(), "not valid for name")] {
        let complaint = complaint(&url, &other.ca());
        assert!(complaint.contains("certificate") && complaint.contains(reason), "{complaint}");
    }
}
