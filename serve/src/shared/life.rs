//! Finds out from a replica's keys whether it is alive.

use std::time::Duration;

use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};

/// How long an answer about one of several keys is waited for.
const PROMPT: Duration = Duration::from_millis(500);

/// What is known of a replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Life {
    Lives,
    HasEnded,
    Unknown,
}

/// Finds out whether a replica is alive. It has `keys` keys, which exist while it is.
///
/// `exists` asks the server of a key; `None` if that does not answer. A replica of an earlier
/// version has only the first key. One server of the others may be away.
pub(super) async fn find_out<F: Future<Output = Option<bool>>>(keys: usize, exists: impl Fn(usize) -> F) -> Life {
    let ask = |index| exists(index).map(move |answer| (index, answer));
    let mut answers: FuturesUnordered<_> = (0..keys).map(ask).collect();
    let (mut lives, mut is_first_gone, mut gone) = (false, false, 0);
    let ask_all = async {
        while !lives && let Some((index, answer)) = answers.next().await {
            lives = answer == Some(true);
            if answer == Some(false) {
                is_first_gone |= index == 0;
                gone += 1;
            }
        }
    };
    if keys == 1 {
        ask_all.await;
    } else {
        // The server of one key may be silent, and the other answers would become outdated.
        let _ = tokio::time::timeout(PROMPT, ask_all).await;
    }
    if lives {
        return Life::Lives;
    }
    if !is_first_gone || 2 * gone <= keys {
        return Life::Unknown;
    }
    // While the others were waited for, the replica may have renewed its keys.
    if keys == 1 || exists(0).await == Some(false) { Life::HasEnded } else { Life::Unknown }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::future::pending;

    use super::*;

    const SILENT: Option<Option<bool>> = None;
    const AWAY: Option<Option<bool>> = Some(None);
    const THERE: Option<Option<bool>> = Some(Some(true));
    const GONE: Option<Option<bool>> = Some(Some(false));

    /// Finds out with these answers, one after another for each key.
    async fn find_out_with(answers: &[&[Option<Option<bool>>]]) -> Life {
        let asked = RefCell::new(vec![0; answers.len()]);
        let exists = |index: usize| {
            let number = std::mem::replace(&mut asked.borrow_mut()[index], 1);
            let answer = answers[index][number];
            async move {
                match answer {
                    Some(answer) => answer,
                    None => pending().await,
                }
            }
        };
        find_out(answers.len(), exists).await
    }

    #[tokio::test]
    async fn one_key_decides_on_a_single_server() {
        for (answer, life) in [(THERE, Life::Lives), (GONE, Life::HasEnded), (AWAY, Life::Unknown)] {
            assert_eq!(find_out_with(&[&[answer]]).await, life, "{answer:?}");
        }
    }

    #[tokio::test]
    async fn in_a_cluster_a_replica_lives_while_one_key_does() {
        assert_eq!(find_out_with(&[&[GONE], &[GONE], &[THERE]]).await, Life::Lives);
        assert_eq!(find_out_with(&[&[SILENT], &[AWAY], &[THERE]]).await, Life::Lives);
        assert_eq!(find_out_with(&[&[GONE, GONE], &[GONE], &[GONE]]).await, Life::HasEnded);
        assert_eq!(find_out_with(&[&[GONE, GONE], &[GONE], &[AWAY]]).await, Life::HasEnded);
        assert_eq!(find_out_with(&[&[GONE], &[AWAY], &[AWAY]]).await, Life::Unknown);
        // One of an earlier version has no other key, so these prove nothing.
        assert_eq!(find_out_with(&[&[AWAY], &[GONE], &[GONE]]).await, Life::Unknown);
    }

    #[tokio::test]
    async fn what_was_heard_while_a_server_was_silent_is_asked_again() {
        assert_eq!(find_out_with(&[&[GONE, THERE], &[GONE], &[SILENT]]).await, Life::Unknown);
        assert_eq!(find_out_with(&[&[GONE, AWAY], &[GONE], &[SILENT]]).await, Life::Unknown);
        assert_eq!(find_out_with(&[&[GONE, GONE], &[GONE], &[SILENT]]).await, Life::HasEnded);
    }
}
