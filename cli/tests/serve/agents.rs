//! The agents of `examples/agents`, as `docs/service.md` quotes them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::client::{get, post, until};
use crate::page::Page;
use crate::service::Service;
use crate::upstream::requests;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn source(name: &str) -> String {
    std::fs::read_to_string(root().join("examples/agents").join(name)).unwrap()
}

/// Returns the interpreter; `None` if it is missing, which is an error in CI.
fn interpreter(name: &str) -> Option<Command> {
    let found = Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if found.is_ok_and(|status| status.success()) {
        return Some(Command::new(name));
    }
    assert!(std::env::var_os("CI").is_none(), "{name} is missing");
    eprintln!("skipped: {name} is missing");
    None
}

/// Runs an agent whose model asks two questions, makes a mistake, asks once more, and ends.
async fn run(mut agent: Command, name: &str) {
    let service = Service::relay(&["--token", "t0ken"]);
    let text = |text: &str| format!("data: {}\n\ndata: [DONE]\n\n", json!({"choices": [{"delta": {"content": text}}]}));
    let ask = |tags: &str| text(&format!("<ask_followup_question>{tags}</ask_followup_question>"));
    let plays = json!([{"name": name, "stream": "interleaved"}, {"name": name, "body": ask("")},
        {"name": name, "body": ask("<question>Sure?</question>")}, {"name": name, "body": text("Done.")}]);
    for proxy in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
        agent.env_remove(proxy);
    }
    agent.env("MODEL", plays.to_string()).env("API_KEY", "k3y").env("FOLLOWUP_TOKEN", "t0ken");
    agent.args(["Plan my week", &format!("http://{}", service.address)]);
    let agent = agent.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
    let output = tokio::task::spawn_blocking(move || agent.wait_with_output().unwrap());
    let send = async |call: crate::client::Call| call.with("x-followup-token", "t0ken").send(&service).await;
    let mut id = String::new();
    for number in 0..3 {
        let open = async || {
            let list = send(get("/conversations")).await.ok();
            let page = match list["conversations"][0]["id"].as_str() {
                Some(id) => Page::of_snapshot(&send(get(format!("/conversations/{id}"))).await.ok()),
                None => return None,
            };
            let is_open = page.all("call").iter().any(|call| call["number"] == number && call["open"] == true);
            is_open.then(|| list["conversations"][0]["id"].as_str().unwrap().to_owned())
        };
        until(async || open().await.is_some()).await;
        id = open().await.unwrap();
        let answer = json!({"number": number, "text": format!("Answer {number}")}).to_string();
        send(post(format!("/conversations/{id}/answer"), answer)).await.ok();
    }
    let output = output.await.unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), "Done.");
    let page = Page::of_snapshot(&send(get(format!("/conversations/{id}"))).await.ok());
    let deliveries: Vec<_> = page.all("call").iter().filter_map(|call| call.get("delivery")).cloned().collect();
    assert_eq!(deliveries, vec![json!({"state": "collected", "retry": false}); 3]);
    check_requests(&requests(name).await);
}

/// Checks that each request shows the replies to the one before.
fn check_requests(requests: &[Value]) {
    let [_, second, third, fourth] = requests else { panic!("{requests:?}") };
    let messages = |request: &Value| request["body"]["messages"].as_array().unwrap().clone();
    let [user, model, one, two] = &messages(second)[..] else { panic!("{second}") };
    assert_eq!(user["content"], "Plan my week");
    for (index, result) in [one, two].into_iter().enumerate() {
        assert_eq!(result["tool_call_id"], model["tool_calls"][index]["id"]);
        assert_eq!(result["content"], format!("<answer>\nAnswer {index}\n</answer>"));
    }
    assert!(messages(third).last().unwrap()["content"].as_str().unwrap().contains("question"), "the correction");
    assert_eq!(messages(fourth).last().unwrap()["content"], "<answer>\nAnswer 2\n</answer>");
    let headers = fourth["headers"].to_string();
    assert!(headers.contains("Bearer k3y") && !headers.contains("t0ken"), "{headers}");
}

#[tokio::test]
async fn the_agent_in_python_collects_its_replies() {
    let Some(mut python) = interpreter("python3") else { return };
    python.arg(root().join("examples/agents/agent.py"));
    run(python, "agent-python").await;
}

#[tokio::test]
async fn the_agent_in_typescript_collects_its_replies() {
    let Some(mut node) = interpreter("node") else { return };
    // Of any version: the file is JavaScript, too.
    let file = std::fs::File::open(root().join("examples/agents/agent.ts")).unwrap();
    node.args(["--input-type=module", "-"]).stdin(file);
    run(node, "agent-typescript").await;
}

#[test]
fn the_documentation_quotes_the_agents() {
    let page = std::fs::read_to_string(root().join("docs/service.md")).unwrap();
    for (language, file) in [("python", "agent.py"), ("ts", "agent.ts")] {
        let blocks: Vec<_> = page.split(&format!("```{language}\n")).skip(1).collect();
        assert!(!blocks.is_empty(), "no {language}");
        for block in blocks {
            let quoted = block.split_once("```").unwrap().0;
            assert!(source(file).contains(quoted), "{file} has not:\n{quoted}");
        }
    }
}
