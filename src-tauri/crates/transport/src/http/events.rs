//! A body as a stream of events. The parser knows no limits, so everything passes a limiter first;
//! what comes too slowly is given up on here, and what is held counts against the server's budget. Comments keep a
//! stream alive and cost nothing.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use futures::{Stream, StreamExt, stream};
use sse_stream::{Sse, SseByteStream};
use thiserror::Error;
use tokio::time::{Instant, timeout_at};

use super::HttpLimits;
use super::batch::FrameBatch;
use crate::failure::amount;
use vestibule_egress::{EgressError, Endless, EventLimiter, HttpAnswer, Share};

/// Why a stream cannot be read on.
#[derive(Debug, Error)]
pub(super) enum StreamError {
    #[error("{0}")]
    Egress(#[from] EgressError),
    #[error("the server sent a line of more than {} without an end", amount(*.0))]
    EndlessLine(usize),
    #[error("the server sent an event of more than {} without an end", amount(*.0))]
    EndlessEvent(usize),
    #[error("the server began an event and did not end it within {} seconds", .0.as_secs())]
    SlowEvent(Duration),
    #[error("the server's event stream is not UTF-8")]
    NotText,
}

impl From<Endless> for StreamError {
    fn from(endless: Endless) -> Self {
        match endless {
            Endless::Line(limit) => Self::EndlessLine(limit),
            Endless::Event(limit) => Self::EndlessEvent(limit),
        }
    }
}

impl StreamError {
    /// Whether the connection is to blame, so that another one may do better.
    pub(super) fn is_cut(&self) -> bool {
        matches!(
            self,
            Self::Egress(EgressError::Broken(_) | EgressError::TimedOut(_))
        )
    }
}

type Chunks = Pin<Box<dyn Stream<Item = Result<Bytes, EgressError>> + Send>>;

/// The events of one body.
pub(super) struct SseEvents {
    stream: Pin<Box<dyn Stream<Item = Result<Sse, sse_stream::Error>> + Send>>,
}

impl SseEvents {
    /// The events of an answer. Between two events, comments included, at most `quiet` passes.
    pub(super) fn from_answer(
        answer: HttpAnswer,
        limits: &HttpLimits,
        share: Share,
        quiet: Option<Duration>,
    ) -> Result<Self, EgressError> {
        answer.check_encoding()?;
        let chunks = stream::unfold(answer, |mut answer| async move {
            let chunk = answer.chunk().await.transpose()?;
            Some((chunk, answer))
        });
        Ok(Self::over(Box::pin(chunks), limits, share, quiet))
    }

    fn over(chunks: Chunks, limits: &HttpLimits, share: Share, quiet: Option<Duration>) -> Self {
        let guarded = Guarded {
            chunks,
            guard: EventLimiter::new(limits.line, limits.event),
            share,
            quiet,
            patience: limits.body,
            began: None,
            failed: None,
        };
        let guarded = stream::unfold(Some(guarded), |guarded| async {
            let mut guarded = guarded?;
            let chunk = guarded.next().await.transpose()?;
            let rest = chunk.is_ok().then_some(guarded);
            Some((chunk, rest))
        });
        Self {
            stream: Box::pin(SseByteStream::new(Box::pin(guarded))),
        }
    }

    /// The next event; `None` when the server has ended the stream. May be dropped without losing anything.
    pub(super) async fn next(&mut self) -> Result<Option<Sse>, StreamError> {
        read(self.stream.next().await)
    }

    /// The next event. Hands on what was read before as soon as there is none yet.
    pub(super) async fn next_for(&mut self, batch: &mut FrameBatch<'_>) -> Result<Option<Sse>, StreamError> {
        let next = poll_fn(|context| match self.stream.as_mut().poll_next(context) {
            Poll::Pending if !batch.is_empty() => Poll::Ready(None),
            next => next.map(Some),
        });
        match next.await {
            Some(next) => read(next),
            None => {
                batch.flush().await;
                self.next().await
            }
        }
    }
}

fn read(next: Option<Result<Sse, sse_stream::Error>>) -> Result<Option<Sse>, StreamError> {
    match next {
        None => Ok(None),
        Some(Ok(event)) => Ok(Some(event)),
        Some(Err(sse_stream::Error::Body(error))) => Err(match error.downcast::<StreamError>() {
            Ok(error) => *error,
            Err(error) => EgressError::Broken(error.to_string()).into(),
        }),
        Some(Err(_)) => Err(StreamError::NotText),
    }
}

struct Guarded {
    chunks: Chunks,
    guard: EventLimiter,
    share: Share,
    quiet: Option<Duration>,
    patience: Duration,
    /// When the event that is being received began.
    began: Option<Instant>,
    /// Told once what came before it was handed on.
    failed: Option<StreamError>,
}

impl Guarded {
    async fn next(&mut self) -> Result<Option<Bytes>, StreamError> {
        let (deadline, late) = match (self.began, self.quiet) {
            (Some(began), _) => (began + self.patience, StreamError::SlowEvent(self.patience)),
            (None, Some(quiet)) => (Instant::now() + quiet, EgressError::TimedOut(quiet).into()),
            (None, None) => return self.admit().await,
        };
        timeout_at(deadline, self.admit()).await.unwrap_or(Err(late))
    }

    async fn admit(&mut self) -> Result<Option<Bytes>, StreamError> {
        if let Some(failed) = self.failed.take() {
            return Err(failed);
        }
        let Some(chunk) = self.chunks.next().await.transpose()? else {
            return Ok(None);
        };
        let mut ended = 0;
        if let Err(error) = self.guard.admit(&chunk, &mut ended) {
            // What came whole before it, even in the same piece, is still delivered.
            self.failed = Some(error.into());
            return Ok(Some(chunk.slice(..ended)));
        }
        self.account(ended > 0)?;
        Ok(Some(chunk))
    }

    /// Counts the time and the memory of the event that is being received; `ended_one` when one before it is complete.
    fn account(&mut self, ended_one: bool) -> Result<(), StreamError> {
        if ended_one {
            self.began = None;
            self.share.release();
        }
        if self.guard.is_within_event() {
            self.began.get_or_insert_with(Instant::now);
            self.share.grow_to(self.guard.event_bytes())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tokio::sync::mpsc;

    use super::*;
    use vestibule_egress::MemoryBudget;

    fn limits() -> HttpLimits {
        HttpLimits {
            line: 64,
            event: 100,
            body: Duration::from_secs(60),
            ..HttpLimits::default()
        }
    }

    fn events(chunks: Vec<Vec<u8>>) -> SseEvents {
        let chunks = stream::iter(chunks.into_iter().map(|chunk| Ok(Bytes::from(chunk))));
        let share = MemoryBudget::new(1 << 20).share();
        SseEvents::over(Box::pin(chunks), &limits(), share, None)
    }

    async fn data(mut events: SseEvents) -> Result<Vec<String>, StreamError> {
        let mut all = Vec::new();
        while let Some(event) = events.next().await? {
            all.extend(event.data);
        }
        Ok(all)
    }

    /// A stream that is fed by hand.
    fn fed(quiet: Option<Duration>) -> (mpsc::UnboundedSender<Result<Bytes, EgressError>>, SseEvents) {
        let (feed, food) = mpsc::unbounded_channel();
        let chunks = stream::unfold(food, |mut food| async { Some((food.recv().await?, food)) });
        let share = MemoryBudget::new(1 << 20).share();
        (feed, SseEvents::over(Box::pin(chunks), &limits(), share, quiet))
    }

    /// TR-005.
    #[tokio::test]
    async fn every_line_break_a_mark_and_a_cut_letter_read_the_same() {
        for text in [
            "data: gr\u{fc}n\n\n: note\n\ndata: a\ndata: b\n\n",
            "data: gr\u{fc}n\r\n\r\n: note\r\n\r\ndata: a\r\ndata: b\r\n\r\n",
            "data: gr\u{fc}n\r\r: note\r\rdata: a\rdata: b\r\r",
            "\u{feff}data: gr\u{fc}n\n\n:\n\ndata: a\ndata: b\n\n",
        ] {
            let whole = vec![text.as_bytes().to_vec()];
            let bytewise = text.bytes().map(|byte| vec![byte]).collect();
            for chunks in [whole, bytewise] {
                assert_eq!(
                    data(events(chunks)).await.unwrap(),
                    ["gr\u{fc}n", "a\nb"],
                    "{text:?}"
                );
            }
        }
    }

    /// STD-006 for event streams.
    #[tokio::test]
    async fn a_line_or_event_that_does_not_end_is_given_up_on() {
        let line = vec![b"data: ok\n\ndata: ".to_vec(), vec![b'x'; 60]];
        assert!(matches!(
            data(events(line)).await,
            Err(StreamError::EndlessLine(64))
        ));
        let comment = vec![b": ".to_vec(), vec![b'x'; 70]];
        assert!(matches!(
            data(events(comment)).await,
            Err(StreamError::EndlessLine(64))
        ));
        let event = (0..20).map(|_| b"data: xxxx\n".to_vec()).collect();
        assert!(matches!(
            data(events(event)).await,
            Err(StreamError::EndlessEvent(100))
        ));
    }

    #[tokio::test]
    async fn what_came_before_an_endless_line_is_delivered_even_when_it_came_with_it() {
        let apart = vec![b"data: ok\n\ndata: ".to_vec(), vec![b'x'; 60]];
        for chunks in [apart.clone(), vec![apart.concat()]] {
            let mut events = events(chunks);
            assert_eq!(events.next().await.unwrap().unwrap().data.unwrap(), "ok");
            assert!(events.next().await.is_err());
            assert!(events.next().await.unwrap().is_none());
        }
    }

    #[tokio::test]
    async fn any_number_of_comments_is_no_event() {
        let chunks = (0..1000).map(|_| b": still here\n".to_vec());
        let chunks = chunks.chain([b"data: x\n\n".to_vec()]).collect();
        assert_eq!(data(events(chunks)).await.unwrap(), ["x"]);
    }

    #[tokio::test]
    async fn bytes_that_are_no_text_end_the_stream() {
        let broken = events(vec![b"data: \xff\xfe\n\n".to_vec()]);
        assert!(matches!(data(broken).await, Err(StreamError::NotText)));
    }

    /// TR-119.
    #[tokio::test(start_paused = true)]
    async fn a_stream_may_be_quiet_for_its_time_and_comments_count_as_life() {
        let hour = Duration::from_secs(3600);
        let (feed, mut events) = fed(Some(hour));
        let feeding = async {
            for _ in 0..5 {
                tokio::time::advance(hour - Duration::from_secs(1)).await;
                feed.send(Ok(Bytes::from(": alive\n\n"))).unwrap();
                tokio::task::yield_now().await;
            }
            feed.send(Ok(Bytes::from("data: x\n\n"))).unwrap();
        };
        let (event, ()) = tokio::join!(events.next(), feeding);
        assert_eq!(event.unwrap().unwrap().data.unwrap(), "x");
        let error = events.next().await.unwrap_err();
        assert!(error.is_cut(), "{error}");
    }

    #[tokio::test(start_paused = true)]
    async fn an_event_that_drips_is_given_up_on_however_steadily() {
        let (feed, mut events) = fed(None);
        let dripping = async {
            loop {
                if feed.send(Ok(Bytes::from("d"))).is_err() {
                    return std::future::pending::<()>().await;
                }
                tokio::time::sleep(Duration::from_secs(9)).await;
            }
        };
        let error = tokio::select! {
            outcome = events.next() => outcome.unwrap_err(),
            () = dripping => unreachable!("it drips on"),
        };
        assert!(matches!(error, StreamError::SlowEvent(_)), "{error}");
    }

    #[tokio::test]
    async fn many_large_events_at_once_do_not_exceed_the_budget() {
        let budget = MemoryBudget::new(2048);
        let begin = |feed: &mpsc::UnboundedSender<_>| {
            feed.send(Ok(Bytes::from(format!("data: {}\n", "x".repeat(1500)))))
                .unwrap();
        };
        let stream = || {
            let (feed, food) = mpsc::unbounded_channel();
            let chunks = stream::unfold(food, |mut food| async { Some((food.recv().await?, food)) });
            let limits = HttpLimits::default();
            (
                feed,
                SseEvents::over(Box::pin(chunks), &limits, budget.share(), None),
            )
        };
        let ((one, mut first), (other, mut second)) = (stream(), stream());
        begin(&one);
        assert!(futures::poll!(Box::pin(first.next())).is_pending());
        begin(&other);
        let error = second.next().await.unwrap_err();
        assert!(
            matches!(error, StreamError::Egress(EgressError::Crowded)),
            "{error}"
        );
        one.send(Ok(Bytes::from("\n"))).unwrap();
        assert_eq!(first.next().await.unwrap().unwrap().data.unwrap().len(), 1500);
    }

    /// The events of some bytes, as far as they can be read.
    fn heard(chunks: Vec<Vec<u8>>) -> (Vec<[Option<String>; 3]>, bool) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build();
        runtime.unwrap().block_on(async {
            let mut events = events(chunks);
            let mut heard = Vec::new();
            loop {
                match events.next().await {
                    Ok(Some(event)) => heard.push([event.id, event.event, event.data]),
                    end => return (heard, end.is_ok()),
                }
            }
        })
    }

    proptest! {
        /// TR-005, STD-006 for event streams.
        #[test]
        fn any_split_of_the_bytes_gives_the_same_events(
            parts in proptest::collection::vec(prop_oneof![
                Just("\n"), Just("\r\n"), Just("\r"), Just("data: a"), Just("data:gr\u{fc}n"), Just("id: 7"),
                Just("event: message"), Just(": note"), Just("retry: 5"), Just("\u{feff}"), Just("x"),
            ], 0..24),
            cuts in proptest::collection::vec(0_usize..200, 0..20),
        ) {
            let bytes = parts.concat().into_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let split = cuts.windows(2).map(|pair| bytes[pair[0]..pair[1]].to_vec()).collect();
            prop_assert_eq!(heard(split), heard(vec![bytes]));
        }
    }
}
