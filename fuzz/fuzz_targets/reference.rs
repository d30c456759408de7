//! What the parser shows, against the reference reader of the syntax, which sees the whole stream at once.
#![no_main]

#[path = "../../tests/common/mod.rs"]
mod common;
mod input;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: input::Input| {
    let rules = input.rules();
    let syntax = input.syntax();
    let mut parser = syntax.parser(common::policy(&rules));
    let shown = common::show(&mut parser, input.chunks());
    let meant = syntax.expected(&input.stream, &rules);
    assert!(
        shown == meant,
        "meant {}\nshown {}",
        common::reference::describe(&meant),
        common::reference::describe(&shown)
    );
});
