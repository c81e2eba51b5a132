//! Makes pictures small enough for a request, in a process that ends with the work. What came of a picture is kept for the
//! next round, because the same pictures are sent again.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sha2::{Digest as _, Sha256};
use vestibule_models::{ModelMessage, ResultPart};
use vestibule_pictures::picture_size;
use vestibule_pictures::{NotScaled, PictureLimits, ROLE, job_line, read_answer};
use vestibule_servers::HelperProgram;
use vestibule_transport::worker::Worker;

use super::{PictureSettings, pictures_of};

/// How long one picture may take, in which a process is started.
const LONGEST: Duration = Duration::from_secs(30);
/// The longest answer of the process, in bytes: the largest picture in base64, and what is around it.
const LONGEST_ANSWER: u64 = 1024 * 1024;
/// How many pictures are kept, at most 10 MB.
const KEPT: usize = 16;

/// A picture that was drawn: its type and its bytes in base64.
type Drawn = Result<(&'static str, Arc<str>), NotScaled>;
/// The picture as it came, and what it was to become.
type Wanted = ([u8; 32], u32, usize);

/// The way to the process, and what it drew. Cheap to clone; all clones share what was drawn.
#[derive(Clone)]
pub(crate) struct PictureScaler {
    program: HelperProgram,
    drawn: Arc<Mutex<VecDeque<(Wanted, Drawn)>>>,
}

impl PictureScaler {
    pub(crate) fn new(program: HelperProgram) -> Self {
        Self {
            program,
            drawn: Arc::default(),
        }
    }

    /// Makes each picture of a request small enough, or puts a sentence in its place.
    pub(crate) async fn fit(&self, messages: &mut [ModelMessage], settings: PictureSettings) {
        let limits = PictureLimits {
            edge: settings.edge,
            bytes: settings.bytes_each(),
        };
        let mut worker = None;
        for part in messages.iter_mut().flat_map(pictures_of) {
            let ResultPart::Image { mime, base64 } = &*part else {
                continue;
            };
            if fits(mime, base64, limits) {
                continue;
            }
            *part = match self.draw(base64, limits, &mut worker).await {
                Ok((mime, base64)) => ResultPart::Image {
                    mime: mime.to_owned(),
                    base64: (*base64).to_owned(),
                },
                Err(reason) => ResultPart::Text(format!(
                    "[a picture ({mime}) stood here; it is left out: {reason}]"
                )),
            };
        }
    }

    async fn draw(&self, base64: &str, limits: PictureLimits, worker: &mut Option<Worker>) -> Drawn {
        let wanted = (Sha256::digest(base64).into(), limits.edge, limits.bytes);
        let known = self.kept().iter().find(|(known, _)| *known == wanted).cloned();
        if let Some((_, drawn)) = known {
            return drawn;
        }
        let drawn = match tokio::time::timeout(LONGEST, self.ask(base64, limits, worker)).await {
            Ok(Ok(drawn)) => drawn,
            // The process ended by its own limits, or by this one.
            Ok(Err(_)) | Err(_) => Err(NotScaled::TooLarge),
        };
        let mut kept = self.kept();
        kept.push_back((wanted, drawn.clone()));
        if kept.len() > KEPT {
            kept.pop_front();
        }
        drawn
    }

    async fn ask(
        &self,
        base64: &str,
        limits: PictureLimits,
        worker: &mut Option<Worker>,
    ) -> std::io::Result<Drawn> {
        let running = match worker.take() {
            Some(running) => running,
            None => self.program.start_worker(ROLE)?.with_longest(LONGEST_ANSWER),
        };
        let (running, answer) = running.ask(&job_line(base64, limits)).await?;
        *worker = Some(running);
        Ok(read_answer(&answer).map(|(mime, base64)| (mime, base64.into())))
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, VecDeque<(Wanted, Drawn)>> {
        self.drawn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a picture is sent as it is.
fn fits(mime: &str, base64: &str, limits: PictureLimits) -> bool {
    let bytes = base64.len() / 4 * 3;
    let is_small = |(width, height): (u32, u32)| width.max(height) <= limits.edge;
    bytes <= limits.bytes && picture_size(mime, base64).is_some_and(is_small)
}
