//! Requests to the store that are sent as one command.

use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::shared::error::StoreError;

/// Minimum time between two groups for which readers wait. Requests meanwhile are sent together.
const SHORT_PAUSE: Duration = Duration::from_millis(1);

/// The same where no reader waits.
pub(super) const LONG_PAUSE: Duration = Duration::from_millis(5);

/// When a group is sent after another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GroupTiming {
    /// After a short pause: readers wait.
    Soon,
    /// After a longer pause, and after the answers to the first one: requests take effect in order.
    InOrder,
}

/// Maximum number of requests in a group, so that no script takes long.
pub(super) const MAX_GROUP: usize = 64;

/// A request, and where its answer goes.
pub(super) struct Request<Q, A> {
    question: Q,
    reply: oneshot::Sender<Result<A, StoreError>>,
}

/// The requests that wait to be sent.
pub(super) type Waiting<Q, A> = mpsc::UnboundedReceiver<Request<Q, A>>;

/// Gives requests to be sent together.
pub(super) struct Group<Q, A>(mpsc::UnboundedSender<Request<Q, A>>);

impl<Q, A> Group<Q, A> {
    pub(super) fn new() -> (Group<Q, A>, Waiting<Q, A>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Group(sender), receiver)
    }

    /// Sends a request together with others, and returns its answer.
    pub(super) async fn ask(&self, question: Q) -> Result<A, StoreError> {
        let (reply, answer) = oneshot::channel();
        // Neither fails before the service ends.
        self.0.send(Request { question, reply }).map_err(|_| StoreError::Away)?;
        answer.await.map_err(|_| StoreError::Away)?
    }
}

/// Sends requests in groups of at most that many.
///
/// There is no pause after a group that is full. Ends with their sender.
///
/// `send` returns an answer to each.
pub(super) async fn send_groups<Q, A, F, S>(mut waiting: Waiting<Q, A>, max: usize, timing: GroupTiming, send: S)
where
    Q: Clone + Send + Sync + 'static,
    A: Send + 'static,
    F: Future<Output = Result<Vec<A>, StoreError>> + Send,
    S: Fn(Vec<Q>) -> F + Clone + Send + Sync + 'static,
{
    let pause = match timing {
        GroupTiming::Soon => SHORT_PAUSE,
        GroupTiming::InOrder => LONG_PAUSE,
    };
    let mut group = Vec::new();
    while waiting.recv_many(&mut group, max).await > 0 {
        let (is_full, next) = (group.len() == max, Instant::now() + pause);
        let (questions, replies): (Vec<Q>, Vec<_>) = group.drain(..).map(|one| (one.question, one.reply)).unzip();
        let send = send.clone();
        let sent = tokio::spawn(async move {
            for (reply, answer) in replies.into_iter().zip(answers(questions, send).await) {
                // Perhaps nobody waits any more.
                let _ = reply.send(answer);
            }
        });
        if timing == GroupTiming::InOrder {
            // This fails only if the task panics.
            let _ = sent.await;
        }
        if !is_full {
            tokio::time::sleep_until(next).await;
        }
    }
}

/// Returns the answers to requests.
///
/// If the store refuses them together, each is sent by itself: one must not fail the others.
pub(super) async fn answers<Q: Clone, A, F>(questions: Vec<Q>, send: impl Fn(Vec<Q>) -> F) -> Vec<Result<A, StoreError>>
where
    F: Future<Output = Result<Vec<A>, StoreError>>,
{
    let error = match send(questions.clone()).await {
        Ok(answers) => return answers.into_iter().map(Ok).collect(),
        Err(error) => error,
    };
    if questions.len() == 1 || matches!(error, StoreError::Away) {
        return questions.iter().map(|_| Err(error.clone())).collect();
    }
    let mut answers = Vec::new();
    for question in questions {
        answers.push(send(vec![question]).await.and_then(|mut one| one.pop().ok_or(StoreError::Away)));
    }
    answers
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures_util::FutureExt;
    use parking_lot::Mutex;
    use tokio::sync::Notify;

    use super::*;

    /// Answers numbers with their double. Refuses every group with a 7 in it.
    async fn double(numbers: Vec<u32>) -> Result<Vec<u32>, StoreError> {
        if numbers.contains(&7) {
            return Err(StoreError::Unreadable("7".to_owned()));
        }
        Ok(numbers.iter().map(|number| number * 2).collect())
    }

    #[tokio::test]
    async fn requests_of_the_same_time_are_sent_together_and_answered_each() {
        let (group, waiting) = Group::new();
        let sizes = Arc::new(Mutex::new(Vec::new()));
        let seen = sizes.clone();
        tokio::spawn(send_groups(waiting, 4, GroupTiming::Soon, move |numbers: Vec<u32>| {
            seen.lock().push(numbers.len());
            double(numbers)
        }));
        let asked = futures_util::future::join_all((10..20).map(|number| group.ask(number))).await;
        let doubles: Vec<u32> = asked.into_iter().map(Result::unwrap).collect();
        assert_eq!(doubles, (10..20).map(|number| number * 2).collect::<Vec<_>>());
        assert_eq!(*sizes.lock(), [4, 4, 2]);
    }

    #[tokio::test]
    async fn groups_in_order_wait_for_the_answers_to_the_one_before() {
        for (timing, at_once) in [(GroupTiming::InOrder, 1), (GroupTiming::Soon, 3)] {
            let (group, waiting) = Group::new();
            let under_way = Arc::new(Mutex::new((0, 0)));
            let seen = under_way.clone();
            tokio::spawn(send_groups(waiting, 4, timing, move |numbers: Vec<u32>| {
                let seen = seen.clone();
                async move {
                    {
                        let (now, most) = &mut *seen.lock();
                        *now += 1;
                        *most = (*now).max(*most);
                    }
                    // All others that may come first do so.
                    for _ in 0..100 {
                        tokio::task::yield_now().await;
                    }
                    seen.lock().0 -= 1;
                    double(numbers).await
                }
            }));
            futures_util::future::join_all((10..20).map(|number| group.ask(number))).await;
            assert_eq!(under_way.lock().1, at_once, "{timing:?}");
        }
    }

    #[tokio::test]
    async fn a_request_is_kept_until_its_answer_even_if_nobody_waits_for_it_any_more() {
        let (group, waiting) = Group::new();
        let (permit, asked, may_answer) = (Arc::new(()), Arc::new(Notify::new()), Arc::new(Notify::new()));
        let (is_asked, is_to_answer) = (asked.clone(), may_answer.clone());
        tokio::spawn(send_groups(waiting, 4, GroupTiming::Soon, move |_: Vec<Arc<()>>| {
            let (is_asked, is_to_answer) = (is_asked.clone(), is_to_answer.clone());
            async move {
                is_asked.notify_one();
                is_to_answer.notified().await;
                Ok(vec![()])
            }
        }));
        assert!(group.ask(permit.clone()).now_or_never().is_none());
        asked.notified().await;
        assert!(Arc::strong_count(&permit) > 1, "the store is still reading for it");
        may_answer.notify_one();
        while Arc::strong_count(&permit) > 1 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn a_request_that_is_refused_does_not_fail_others() {
        let answers = answers(vec![6, 7, 8], double).await;
        let texts: Vec<String> = answers.iter().map(|answer| format!("{answer:?}")).collect();
        assert_eq!(texts, ["Ok(12)", "Err(Unreadable(\"7\"))", "Ok(16)"]);
    }

    #[tokio::test]
    async fn without_a_connection_every_request_fails_at_once() {
        let calls = Mutex::new(0);
        let away = |_: Vec<u32>| {
            *calls.lock() += 1;
            async { Err::<Vec<u32>, _>(StoreError::Away) }
        };
        let answers = answers(vec![1, 2], away).await;
        assert!(answers.iter().all(|answer| matches!(answer, Err(StoreError::Away))));
        assert_eq!((answers.len(), *calls.lock()), (2, 1));
    }
}
