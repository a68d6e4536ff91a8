//! Which CPU this is, as far as tables of what is fastest tell CPUs apart.

/// An x86 CPU as it names itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cpu {
    vendor: [u8; 12],
    /// Its family, the extended one added.
    pub family: u32,
    /// Its model, the extended one before it.
    pub model: u32,
}

impl Cpu {
    /// The one that runs this; none where CPUs do not tell programs.
    #[must_use]
    pub fn here() -> Option<Self> {
        // In enclaves of SGX the instruction is not allowed, and Miri does not have it.
        #[cfg(all(target_arch = "x86_64", not(target_env = "sgx"), not(miri)))]
        {
            use core::arch::x86_64::__cpuid;

            // SAFETY: every x86-64 CPU has the instruction.
            #[allow(unused_unsafe)]
            let (names, version) = unsafe { (__cpuid(0), __cpuid(1).eax) };
            let mut vendor = [0; 12];
            let (bytes, _) = vendor.as_chunks_mut();
            for (bytes, word) in bytes.iter_mut().zip([names.ebx, names.edx, names.ecx]) {
                *bytes = word.to_le_bytes();
            }
            Some(Self::of(vendor, version))
        }
        #[cfg(not(all(target_arch = "x86_64", not(target_env = "sgx"), not(miri))))]
        None
    }

    /// From what `cpuid` says: the vendor of leaf 0, and `eax` of leaf 1.
    #[must_use]
    pub const fn of(vendor: [u8; 12], version: u32) -> Self {
        let (family, model) = ((version >> 8) & 0xf, (version >> 4) & 0xf);
        // The extensions count only for the families that have them.
        let extended = if family == 0xf {
            (version >> 20) & 0xff
        } else {
            0
        };
        let upper = if family == 0xf || family == 6 {
            (version >> 16) & 0xf
        } else {
            0
        };
        Self {
            vendor,
            family: family + extended,
            model: upper << 4 | model,
        }
    }

    /// Whether it is one of these: a family of 0 is any, and no models are all.
    #[must_use]
    pub fn is_of(&self, vendor: &str, family: u32, models: &[u32]) -> bool {
        self.vendor() == vendor
            && (family == 0 || self.family == family)
            && (models.is_empty() || models.contains(&self.model))
    }

    /// Who made it, as `AuthenticAMD`.
    #[must_use]
    pub const fn vendor(&self) -> &str {
        match core::str::from_utf8(&self.vendor) {
            Ok(vendor) => vendor,
            Err(_) => "",
        }
    }
}
