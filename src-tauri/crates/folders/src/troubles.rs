//! What became of folders. Each is looked at on a thread of its own, because one on a mount that does not answer keeps its
//! thread; it counts as unreadable after some seconds, and is not looked at again until that thread has returned.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use vestibule_consent::FolderTrouble;

use crate::place;

/// How long the disk may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// The looks at folders that have not returned.
#[derive(Clone, Default)]
pub(crate) struct FolderLooks(Arc<Mutex<BTreeMap<String, Instant>>>);

/// Notes that a look has returned, also where its thread panicked.
struct RunningLook {
    looks: FolderLooks,
    path: String,
}

impl Drop for RunningLook {
    fn drop(&mut self) {
        self.looks.running().remove(&self.path);
    }
}

impl FolderLooks {
    /// What became of those folders that are not what they were.
    pub(crate) async fn troubles(&self, paths: Vec<String>) -> BTreeMap<String, FolderTrouble> {
        let looks = self.clone();
        // On the real clock, which the one of the runtime does not follow in tests.
        let look = move || looks.look(paths, PATIENCE, |path| place::still_there(path).map(drop));
        tokio::task::spawn_blocking(look).await.unwrap_or_default()
    }

    fn look(
        &self,
        paths: Vec<String>,
        patience: Duration,
        still_there: impl Fn(&str) -> Result<(), FolderTrouble> + Clone + Send + 'static,
    ) -> BTreeMap<String, FolderTrouble> {
        let until = Instant::now() + patience;
        let begin = |path: String| (path.clone(), self.begin(path, patience, still_there.clone()));
        let begun: Vec<_> = paths.into_iter().map(begin).collect();
        let trouble = |(path, answer): (String, Option<Receiver<_>>)| {
            let left = until.saturating_duration_since(Instant::now());
            let answer = answer.and_then(|answer| answer.recv_timeout(left).ok());
            Some((path, answer.unwrap_or(Err(FolderTrouble::Unreadable)).err()?))
        };
        begun.into_iter().filter_map(trouble).collect()
    }

    /// Looks at a folder; `None` where an earlier look has not returned in time.
    fn begin(
        &self,
        path: String,
        patience: Duration,
        still_there: impl FnOnce(&str) -> Result<(), FolderTrouble> + Send + 'static,
    ) -> Option<Receiver<Result<(), FolderTrouble>>> {
        let mut running = self.running();
        let began = running.get(&path).copied();
        if began.is_some_and(|began| began.elapsed() >= patience) {
            return None;
        }
        running.insert(path.clone(), began.unwrap_or_else(Instant::now));
        drop(running);
        let look = RunningLook {
            looks: self.clone(),
            path,
        };
        let (tell, answer) = channel();
        // Unlike the threads of the runtime, these are not waited for when the application closes.
        let looking = blocking::unblock(move || {
            let looked = still_there(&look.path);
            drop(look);
            // Fails where that took too long.
            let _ = tell.send(looked);
        });
        looking.detach();
        Some(answer)
    }

    fn running(&self) -> MutexGuard<'_, BTreeMap<String, Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn a_folder_that_does_not_answer_is_unreadable_until_it_answers_and_takes_one_thread() {
        let (mount, looked) = (Arc::new(Mutex::new(())), Arc::new(AtomicUsize::new(0)));
        let unmounted = mount.lock().unwrap();
        let still_there = {
            let (mount, looked) = (mount.clone(), looked.clone());
            move |path: &str| match path {
                "/mount" => {
                    looked.fetch_add(1, Ordering::SeqCst);
                    drop(mount.lock());
                    Ok(())
                }
                "/gone" => Err(FolderTrouble::Gone),
                _ => Ok(()),
            }
        };
        let looks = FolderLooks::default();
        let look = |patience| {
            let paths = ["/mount", "/here", "/gone"].map(str::to_owned);
            looks.look(paths.into(), patience, still_there.clone())
        };
        let (mount, gone) = ("/mount".to_owned(), "/gone".to_owned());
        for _ in 0..3 {
            let troubles = look(Duration::from_millis(100));
            assert_eq!(troubles[&mount], FolderTrouble::Unreadable);
        }
        assert_eq!(looked.load(Ordering::SeqCst), 1);
        drop(unmounted);
        let end = Instant::now() + Duration::from_secs(10);
        while looks.running().contains_key(&mount) {
            assert!(Instant::now() < end, "the look does not return");
            std::thread::yield_now();
        }
        let troubles = look(Duration::from_secs(10));
        assert_eq!(troubles, BTreeMap::from([(gone, FolderTrouble::Gone)]));
    }
}
