//! `followup completions` and `followup man`: generated from the definition of the command line.

use std::io::{self, Write};

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use crate::args::Args;
use crate::args::generate::{CompletionsArgs, ManArgs};
use crate::error::{Error, Status};

/// Prints a completion script.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<Status, Error> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "followup", &mut script);
    print(&script)
}

/// Prints the manual page of the program, or of one subcommand.
pub(crate) fn man(args: &ManArgs) -> Result<Status, Error> {
    let mut program = Args::command().disable_help_subcommand(true);
    // Gives the subcommands their full names, such as `followup-parse`.
    program.build();
    let command = match &args.command {
        None => &program,
        Some(name) => program.find_subcommand(name).ok_or_else(|| unknown(name, &program))?,
    };
    let mut page = Vec::new();
    render(command, &mut page)?;
    // Typeset, a backtick would be a quotation mark. `Man` does not escape it.
    print(String::from_utf8_lossy(&page).replace('`', "\\(ga").as_bytes())
}

fn print(bytes: &[u8]) -> Result<Status, Error> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()?;
    Ok(Status::Success)
}

fn unknown(name: &str, program: &Command) -> Error {
    let names: Vec<_> = program.get_subcommands().map(Command::get_name).collect();
    Error::Usage(format!("there is no command {name:?}: it is one of {}", names.join(", ")))
}

fn render(command: &Command, out: &mut Vec<u8>) -> io::Result<()> {
    let man = Man::new(command.clone());
    man.render_title(out)?;
    man.render_name_section(out)?;
    man.render_synopsis_section(out)?;
    man.render_description_section(out)?;
    man.render_options_section(out)?;
    if command.has_subcommands() {
        man.render_subcommands_section(out)?;
    }
    if let Some(text) = command.get_after_long_help().or(command.get_after_help()) {
        verbatim(&text.to_string(), out)?;
    }
    Ok(())
}

/// Writes text whose lines are broken by hand. `Man` would fill them into paragraphs.
///
/// A line without an indent that ends in a colon is a heading.
fn verbatim(text: &str, out: &mut Vec<u8>) -> io::Result<()> {
    let mut blank_lines = "";
    for line in text.lines() {
        let escaped = line.replace('\\', "\\e").replace('-', "\\-");
        // Typeset, they would be other characters, and a command could not be copied from the page.
        let escaped = escaped.replace('\'', "\\(aq").replace('~', "\\(ti").replace('^', "\\(ha");
        match escaped.strip_suffix(':') {
            _ if line.is_empty() => {
                blank_lines = ".sp\n";
                continue;
            }
            Some(heading) if !heading.starts_with(' ') => writeln!(out, ".fi\n.SH \"{heading}\"\n.nf")?,
            // `\&` keeps a leading period or quote from being a request.
            _ => writeln!(out, "{blank_lines}\\&{escaped}")?,
        }
        blank_lines = "";
    }
    writeln!(out, ".fi")
}
