//! Access control, and the security headers.

use serde_json::json;

use crate::client::{Answer, Call, call, chat, get, post};
use crate::service::{Service, command};
use crate::upstream::requests;

#[tokio::test]
async fn with_a_token_everything_but_the_page_and_the_health_check_requires_it() {
    let upstream = format!("http://{}/v1", crate::upstream::upstream().address);
    let mut command = command(&["--upstream", &upstream, "--demo"]);
    let service = Service::start_by(command.env("FOLLOWUP_TOKEN", "s3cret"));
    let everything: [fn() -> Call; 10] = [
        || get("/conversations"),
        || get("/conversations/x"),
        || get("/conversations/x/events"),
        || get("/demo"),
        || get("/metrics"),
        || get("/nothing/here"),
        || post("/conversations", "Hi"),
        || post("/conversations/x/answer", "{}"),
        || post("/v1/chat/completions", "{}"),
        || call("DELETE", "/conversations/x", ""),
    ];
    for one in everything {
        for (name, value) in [("x-nothing", ""), ("authorization", "Bearer other"), ("x-followup-token", "s3cre")] {
            let answer = one().with(name, value).send(&service).await;
            assert_eq!(answer.error(), (401, "unauthorized".into()));
            assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
        }
        for (name, value) in [("authorization", "Bearer s3cret"), ("x-followup-token", "s3cret")] {
            assert_ne!(one().with(name, value).send(&service).await.status, 401);
        }
    }
    for public in ["/", "/assets/growing.js", "/healthz"] {
        assert_ne!(get(public).send(&service).await.status, 401, "{public}");
    }
    // The provider gets its own key, and never the service's token.
    let asked = async |name: &str, token: (&str, &str), key: Option<&str>| {
        let mut call = chat(&json!({"name": name, "stream": "text-only"})).with(token.0, token.1);
        if let Some(key) = key {
            call = call.with("authorization", key);
        }
        assert_eq!(call.send(&service).await.status, 200);
        requests(name).await[0]["headers"].to_string()
    };
    assert!(!asked("token-only", ("authorization", "Bearer s3cret"), None).await.contains("s3cret"));
    let both = asked("token-and-key", ("x-followup-token", "s3cret"), Some("Bearer provider")).await;
    assert!(both.contains("Bearer provider") && !both.contains("s3cret"));
}

#[tokio::test]
async fn a_token_and_a_key_may_begin_with_a_hyphen() {
    let upstream = format!("http://{}/v1", crate::upstream::upstream().address);
    let mut by_environment = command(&["--upstream", &upstream]);
    by_environment.env("FOLLOWUP_UPSTREAM_KEY", "--key").env("FOLLOWUP_TOKEN", "--token");
    for (name, key, token, command) in [
        (
            "hyphen",
            "-key",
            "-token",
            &mut command(&["--upstream", &upstream, "--upstream-key", "-key", "--token", "-token"]),
        ),
        (
            "hyphens",
            "--key",
            "--token",
            &mut command(&["--upstream", &upstream, "--upstream-key=--key", "--token=--token"]),
        ),
        ("hyphens-environment", "--key", "--token", &mut by_environment),
    ] {
        let service = Service::start_by(command);
        let call = chat(&json!({"name": name, "stream": "text-only"})).with("x-followup-token", token);
        assert_eq!(call.send(&service).await.status, 200, "{name}");
        let headers = requests(name).await[0]["headers"].to_string();
        assert!(headers.contains(&format!("Bearer {key}")), "{headers}");
    }
}

#[tokio::test]
async fn foreign_hosts_and_origins_are_refused() {
    let service = Service::start(&["--demo"]);
    let port = service.address.split(':').next_back().unwrap();
    let with = async |host: &str, origin: Option<&str>| {
        let mut call = get("/conversations").with("host", host);
        if let Some(origin) = origin {
            call = call.with("origin", origin);
        }
        call.send(&service).await.status.as_u16()
    };
    let local = format!("localhost:{port}");
    for (host, origin, status) in [
        (&*local, None, 200),
        (&*local, Some(format!("http://{local}")), 200),
        ("127.0.0.1", Some("http://127.0.0.1".into()), 200),
        ("[::1]:1", None, 200),
        ("rebound.example", None, 403),
        (&*local, Some("http://evil.example".into()), 403),
        (&*local, Some("http://localhost".into()), 403),
        (&*local, Some("null".into()), 403),
    ] {
        assert_eq!(with(host, origin.as_deref()).await, status, "{host} {origin:?}");
    }
    for path in ["/", "/healthz", "/nothing", "/v1/chat/completions"] {
        assert_eq!(get(path).with("host", "evil.example").send(&service).await.error(), (403, "forbidden".into()));
    }
    let preflight = call("OPTIONS", "/demo", "").with("origin", "http://evil.example");
    let answer = preflight.with("access-control-request-method", "POST").send(&service).await;
    assert_eq!(answer.error(), (403, "forbidden".into()));
    assert_eq!(answer.header("access-control-allow-origin"), None);
}

#[tokio::test]
async fn pages_of_other_sites_without_an_origin_get_the_page_only() {
    let service = Service::relay(&["--demo"]);
    let from = async |site: &str, path: &str| get(path).with("sec-fetch-site", site).send(&service).await;
    for path in ["/v1/models", "/conversations", "/conversations/x/replies", "/metrics", "/demo", "/healthz"] {
        for site in ["cross-site", "same-site", "", "other"] {
            assert_eq!(from(site, path).await.error(), (403, "forbidden".into()), "{site} {path}");
        }
        for site in ["none", "same-origin"] {
            assert_ne!(from(site, path).await.status, 403, "{site} {path}");
        }
        let twice = get(path).with("sec-fetch-site", "none").with("sec-fetch-site", "cross-site").send(&service).await;
        assert_eq!(twice.error(), (403, "forbidden".into()), "{path}");
    }
    for path in ["/", "/assets/growing.js"] {
        assert_eq!(from("cross-site", path).await.status, 200, "a link may lead to the page: {path}");
    }
}

#[tokio::test]
async fn a_browser_that_opens_what_a_provider_sends_gives_it_no_rights_of_the_page() {
    let service = Service::relay(&[]);
    let script = "<script>fetch('/conversations')</script>";
    let own = "default-src *";
    for (destination, expected) in [
        (Some("document"), &[own, "sandbox"][..]),
        (Some("iframe"), &[own, "sandbox"]),
        (Some("serviceworker"), &[own, "sandbox"]),
        (Some("empty"), &[own]),
        (None, &[own]),
    ] {
        let headers = json!({"content-security-policy": own});
        let play = json!({"play": {"body": script, "type": "text/html", "headers": headers}}).to_string();
        for path in ["/v1/models", "/v1/chat/completions"] {
            let mut call = post(path, play.clone());
            if let Some(destination) = destination {
                call = call.with("sec-fetch-dest", destination).with("sec-fetch-site", "same-origin");
            }
            let answer = call.send(&service).await;
            assert_eq!((answer.status.as_u16(), &answer.body[..]), (200, script.as_bytes()), "{destination:?} {path}");
            let policies: Vec<_> = answer.headers.get_all("content-security-policy").iter().collect();
            assert_eq!(policies, expected, "{destination:?} {path}");
        }
    }
}

#[tokio::test]
async fn every_response_carries_the_security_headers() {
    let service = Service::start(&["--demo"]);
    for path in ["/", "/assets/growing.js", "/conversations", "/nothing", "/healthz"] {
        let answer = get(path).send(&service).await;
        let policy = answer.header("content-security-policy").unwrap();
        for part in [
            "default-src 'none'",
            "script-src 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        ] {
            // The page allows its own inline scripts by their hashes.
            assert!(
                policy.split(';').any(|one| one.split(" 'sha256-").next().unwrap().trim() == part),
                "{part} in {policy}"
            );
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("cross-origin-embedder-policy", "require-corp"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{path}");
        }
        if !matches!(path, "/" | "/assets/growing.js") {
            assert_eq!(answer.header("cache-control"), Some("no-store"), "{path}");
        }
    }
}

#[tokio::test]
async fn an_error_of_the_service_below_the_path_of_the_relay_carries_its_headers() {
    let open = Service::start(&[]);
    let relay = Service::relay(&["--limit-body", "10"]);
    let mut command = command(&[]);
    let closed = Service::start_by(command.env("FOLLOWUP_TOKEN", "s3cret"));
    for (service, call, status) in [
        (&closed, get("/v1/models"), 401),
        (&open, get("/v1/models"), 503),
        (&open, get("/v1/"), 404),
        (&open, get("/v1/models").with("origin", "http://evil.example"), 403),
        (&relay, get("/v1/../admin"), 400),
        (&relay, post("/v1/messages", "01234567890"), 413),
    ] {
        let answer = call.with("sec-fetch-dest", "document").send(service).await;
        assert_eq!(answer.status, status);
        for (name, value) in [("x-content-type-options", "nosniff"), ("cache-control", "no-store")] {
            assert_eq!(answer.header(name), Some(value), "{status}");
        }
        let policies = answer.headers.get_all("content-security-policy");
        let policies: Vec<_> = policies.iter().map(|policy| policy.to_str().unwrap()).collect();
        assert!(matches!(policies[..], [policy] if policy.starts_with("default-src 'none'")), "{status}: {policies:?}");
    }
}

#[tokio::test]
async fn the_page_is_compiled_in_and_complete() {
    let service = Service::start(&[]);
    let index = get("/").send(&service).await;
    assert_eq!((index.status.as_u16(), index.header("content-type")), (200, Some("text/html; charset=utf-8")));
    let text = String::from_utf8(index.body.to_vec()).unwrap();
    assert!(text.contains("<style>") && text.contains("<script>"), "the page needs one request");
    let files: Vec<&str> = text.split("/assets/").skip(1).map(|part| part.split('"').next().unwrap()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    for path in ["/".to_owned(), format!("/assets/{}", files[0])] {
        let answer = get(path.as_str()).send(&service).await;
        assert_eq!(answer.status, 200, "{path}");
        let tag = answer.header("etag").unwrap();
        let again = get(path.as_str()).with("if-none-match", tag).send(&service).await;
        assert_eq!((again.status.as_u16(), again.body.len()), (304, 0), "{path}");
        let other = get(path.as_str()).with("if-none-match", "\"other\"").send(&service).await;
        assert_eq!(other.status, 200);
        let compressed = get(path.as_str()).with("accept-encoding", "gzip").send(&service).await;
        assert_eq!(compressed.header("content-encoding"), Some("gzip"), "{path}");
        assert!(compressed.body.len() * 2 < answer.body.len(), "{path}");
    }
    let script = get(format!("/assets/{}", files[0])).send(&service).await;
    assert_eq!(script.header("content-type"), Some("text/javascript; charset=utf-8"));
    assert_eq!(script.header("cache-control"), Some("max-age=31536000, immutable"), "its name has its version");
    for missing in
        ["/assets/", "/assets/x.js", "/assets/../Cargo.toml", "/assets/%2e%2e/Cargo.toml", "/assets/package.json"]
    {
        assert_eq!(get(missing).send(&service).await.error().0, 404, "{missing}");
    }
}

#[tokio::test]
async fn every_error_is_json_with_a_code() {
    let service = Service::start(&["--demo"]);
    let long = "x".repeat(65);
    let cases: Vec<(Call, u16, &str)> = vec![
        (get("/nothing"), 404, "not_found"),
        (call("PUT", "/conversations", ""), 405, "method_not_allowed"),
        (call("DELETE", "/healthz", ""), 405, "method_not_allowed"),
        (get("/v1/chat/completions"), 503, "no_upstream"),
        (get("/conversations/a.b"), 400, "bad_id"),
        (get(format!("/conversations/{long}/events")), 400, "bad_id"),
        (get("/conversations/%ff"), 400, "bad_request"),
        (get("/conversations/a%2Fb"), 400, "bad_id"),
        (call("DELETE", "/conversations/%00", ""), 400, "bad_id"),
        (post("/conversations/%20/answer", "{}"), 400, "bad_id"),
        (post("/conversations?id=a/b", ""), 400, "bad_id"),
        (post("/conversations?id=", ""), 400, "bad_id"),
        (post("/conversations?wire=grok", ""), 400, "bad_request"),
        (post("/conversations?wires=text", ""), 400, "bad_request"),
        (post("/conversations?id=a&id=b", ""), 400, "bad_request"),
        (post("/conversations", "").with("content-encoding", "gzip"), 400, "bad_request"),
        (get("/conversations/x"), 404, "not_found"),
        (get("/conversations/x/events"), 404, "not_found"),
        (post("/demo", "{}"), 400, "bad_request"),
        (post("/demo", "{\"message\":\"nothing\"}"), 404, "not_found"),
        (post("/demo", "{\"message\":\"database\",\"chunk\":\"0\"}"), 400, "bad_request"),
        (post("/demo", "{\"message\":\"database\",\"delay\":-1}"), 400, "bad_request"),
        (post("/demo", "{\"message\":\"database\",\"delay\":99999999}"), 400, "bad_request"),
        (post("/v1/chat/completions", "{}"), 503, "no_upstream"),
    ];
    for (call, status, code) in cases {
        let answer: Answer = call.send(&service).await;
        assert_eq!(answer.error(), (status, code.into()), "{}", answer.message());
    }
    let put = call("PUT", "/conversations", "").send(&service).await;
    assert!(put.header("allow").unwrap().contains("POST"));
    let wire = post("/conversations?wire=grok", "").send(&service).await.message();
    assert!(wire.contains("grok") && wire.contains("openai-chat") && wire.contains("auto"), "{wire}");
    let demo = Service::start(&[]);
    assert_eq!(get("/demo").send(&demo).await.error(), (404, "not_found".into()));
    assert_eq!(post("/demo", "{\"message\":\"database\"}").send(&demo).await.error(), (404, "not_found".into()));
}

#[test]
fn an_open_address_without_a_token_and_invalid_settings_are_usage_errors() {
    for (args, says) in [
        (&["--listen", "0.0.0.0:0"][..], "FOLLOWUP_TOKEN"),
        (&["--listen", "[::]:0"], "FOLLOWUP_TOKEN"),
        (&["--token", ""], "--token"),
        (&["--token", "a b"], "--token"),
        (&["--upstream", "nowhere"], "chat/completions"),
        (&["--upstream", "ftp://a/v1"], "chat/completions"),
        (&["--continue"], "--upstream"),
        (&["--lease", "1"], "--store <URL>"),
        (&["--store-prefix", "x:"], "--store <URL>"),
        (&["--heartbeat", "0"], "--heartbeat"),
        (&["--idle", "nan"], "--idle"),
        (&["--limit-conversations", "0"], "--limit-conversations"),
        (&["--dialect", "nonesuch"], "nonesuch"),
        (&["--listen", "here"], "--listen"),
    ] {
        let output = command(args).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {message}");
        assert!(message.contains(says), "{args:?}: {message}");
        assert!(output.stdout.is_empty());
    }
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = command(&["--listen", &address]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains(&address));
}
