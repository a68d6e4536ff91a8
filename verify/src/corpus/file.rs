//! A corpus on disk: for each section a line of JSON, then its words, little-endian.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Group, Section, Table};

#[derive(Serialize, Deserialize)]
struct Header {
    instance: (String, String, usize),
    table: Table,
    groups: Vec<Group>,
    words: usize,
}

/// Writes a corpus.
///
/// # Errors
/// Where the file cannot be written.
pub fn write(path: &Path, corpus: &[Section]) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    for section in corpus {
        let header = Header {
            instance: section.instance.clone(),
            table: section.table.clone(),
            groups: section.groups.clone(),
            words: section.words.len(),
        };
        serde_json::to_writer(&mut out, &header)?;
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
        let header: Header = serde_json::from_slice(&line)?;
        let mut bytes = vec![0; 8 * header.words];
        input.read_exact(&mut bytes)?;
        let section = Section {
            instance: header.instance,
            table: header.table,
            groups: header.groups,
            words: bytes
                .chunks_exact(8)
                .map(|word| u64::from_le_bytes(word.try_into().expect("chunks of eight")))
                .collect(),
        };
        let counted: usize = section.groups.iter().map(|group| group.count).sum();
        if section.instance.2 == 0 || counted * 2 * section.instance.2 != header.words {
            let message = "the section's groups do not add up to its words";
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        corpus.push(section);
        line.clear();
    }
    Ok(corpus)
}
