//! A corpus on disk: for each section a line of JSON, then its words, little-endian.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;

use super::Section;

/// Writes a corpus.
///
/// # Errors
/// Where the file cannot be written.
pub fn write(path: &Path, corpus: &[Section]) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    for section in corpus {
        serde_json::to_writer(&mut out, section)?;
        out.write_all(b"\n")?;
        for word in &section.words {
            out.write_all(&word.to_le_bytes())?;
        }
    }
    out.flush()
}

/// Reads what [`write()`] wrote.
///
/// # Errors
/// Where the file cannot be read or is not a corpus.
pub fn read(path: &Path) -> io::Result<Vec<Section>> {
    let mut input = BufReader::new(File::open(path)?);
    let mut corpus = Vec::new();
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        let mut section: Section = serde_json::from_slice(&line)?;
        let cases: usize = section.groups.iter().map(|group| group.count).sum();
        let mut bytes = vec![0; 8 * 2 * section.instance.2 * cases];
        input.read_exact(&mut bytes)?;
        let (words, _) = bytes.as_chunks();
        section.words = words.iter().copied().map(u64::from_le_bytes).collect();
        corpus.push(section);
        line.clear();
    }
    Ok(corpus)
}
