//! The order between the entries of two streams, and the concurrency that it allows.

/// The entries of two streams, and for each the entries that complete before it starts.
#[derive(Debug, Default)]
pub struct Order {
    /// For each stream, the number of entries of both streams that precede its next one: its own, and those that it has
    /// waited for.
    seen: [[usize; 2]; 2],
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    stream: usize,
    /// The position in its stream.
    number: usize,
    /// The number of entries of each stream that complete before it starts.
    before: [usize; 2],
    /// The bytes of a transfer; `None` for a kernel.
    bytes: Option<usize>,
}

impl Order {
    /// Adds an entry, a transfer if `bytes` is given.
    pub fn add(&mut self, is_compute: bool, bytes: Option<usize>) {
        let stream = usize::from(is_compute);
        let before = self.seen[stream];
        let number = self.seen[stream][stream];
        self.seen[stream][stream] += 1;
        self.entries.push(Entry { stream, number, before, bytes });
    }

    /// Makes later entries of one stream wait for the entries so far of the other.
    pub fn wait(&mut self, waiter: bool, other: bool) {
        let waiter = usize::from(waiter);
        let other = usize::from(other);
        for stream in 0..2 {
            self.seen[waiter][stream] = self.seen[waiter][stream].max(self.seen[other][stream]);
        }
    }

    /// Returns the bytes of exposed transfers: those that are ordered before or after every kernel.
    #[must_use]
    pub fn exposed_bytes(&self) -> usize {
        let is_before = |a: &Entry, b: &Entry| b.before[a.stream] > a.number;
        let is_alone = |transfer: &&Entry| {
            let mut kernels = self.entries.iter().filter(|entry| entry.bytes.is_none());
            kernels.all(|kernel| is_before(kernel, transfer) || is_before(transfer, kernel))
        };
        self.entries.iter().filter(is_alone).filter_map(|transfer| transfer.bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_on_one_stream_is_exposed_in_full() {
        let mut order = Order::default();
        order.add(false, Some(10));
        order.add(false, None);
        assert_eq!(order.exposed_bytes(), 10);
    }

    #[test]
    fn a_transfer_beside_a_kernel_is_not_exposed_and_one_that_it_waits_for_is() {
        let mut order = Order::default();
        order.add(false, Some(10));
        order.add(true, None);
        order.wait(true, false);
        order.add(true, None);
        assert_eq!(order.exposed_bytes(), 0);
        order.wait(false, true);
        order.add(false, Some(5));
        assert_eq!(order.exposed_bytes(), 5);
    }
}
