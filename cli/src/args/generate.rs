//! The options of `followup completions` and `followup man`.

pub(super) const COMPLETIONS_HELP: &str = "\
Examples:
  followup completions bash > /etc/bash_completion.d/followup
      For bash, with the package bash-completion; or for you alone, into
      ~/.local/share/bash-completion/completions/followup.
  followup completions zsh > \"${fpath[1]}/_followup\"
      For zsh, into the first folder in which it looks for completions.
  followup completions fish > ~/.config/fish/completions/followup.fish
      For fish.
  followup completions powershell >> $PROFILE
      For PowerShell.";

/// Prints a script that completes the command line in a shell.
#[derive(Debug, clap::Args)]
#[command(after_long_help = COMPLETIONS_HELP)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

pub(super) const MAN_HELP: &str = "\
Examples:
  followup man | man -l -
      Shows the manual page of the program.
  followup man parse > ~/.local/share/man/man1/followup-parse.1
      Installs the one of a command.";

/// Prints a manual page, for man or groff.
#[derive(Debug, clap::Args)]
#[command(after_long_help = MAN_HELP)]
pub(crate) struct ManArgs {
    /// The command whose page to print, instead of that of the program
    pub(crate) command: Option<String>,
}
