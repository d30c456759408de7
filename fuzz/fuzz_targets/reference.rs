//! What the parser shows, against the reference reader, which sees the whole stream at once.
#![no_main]

#[path = "../../tests/common/mod.rs"]
mod common;
mod input;

use followup::Parser;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: input::Input| {
    let rules = input.rules();
    let mut parser = Parser::new(common::policy(&rules));
    let shown = common::show(&mut parser, input.chunks());
    let meant = common::expected(&input.stream, &rules);
    assert!(
        shown == meant,
        "meant {}\nshown {}",
        common::reference::describe(&meant),
        common::reference::describe(&shown)
    );
});
