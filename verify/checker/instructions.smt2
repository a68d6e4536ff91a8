; Instructions and what they compute. The generator and the checker both read this file; the
; meaning of an instruction is written nowhere else in this project.
;
; The file is SMT-LIB 2.6. How it is laid out:
; - A table begins with a line `; == name`. Its next lines name the manual that its rows are from.
; - A row is lines of comment directly above a `define-fun`. The first line is the instruction's entry
;   in the manual. A line `; key: value` has one of the keys below; other lines are remarks.
; - The symbol is the row's name, in bars where SMT-LIB wants them. Rows of general registers begin with
;   `x64 `, `a64 ` or `t32 `, so that symbols are unique; the generator drops this.
; - Parameters are the sources in order, then the immediates, which have the sort Imm and are constants
;   in every use. The sort of the result says what the register written holds. A second result is a
;   second `define-fun` with ` 1` after the name, directly below the first.
; - `rust:` is how kernels write the row as an expression of Rust.
; - `asm:` is how kernels write it as a line of assembler. A source that the line does not name is in
;   the register of the result of its number before. Flags are named nowhere; neither are the carries of
;   x86-64 and of 32-bit Arm, which only the next instruction can read. A line of several instructions
;   writes no register before it has read what else it names.
; - `block:` is how kernels write it where it is lines of assembler whose order is ours, and no register
;   holds all of an operand: an expression of Rust around them.
; - `template:` is how templates write it. Without this line they write `rust:`, and `asm:` where there
;   is no `rust:`.
; - `immediates:` has the least and greatest value of each immediate, separated by commas.
; - `class:` is the group in operation counts; of a row that is several instructions, the group of each,
;   separated by commas; `none` where there is no instruction.
; In these texts {0} is source 0, {r0} is result 0, {i0} is immediate 0. A letter after a colon is the
; view of a register, as in Rust's `asm!`: {0:w} and {0:e} are its low 32 bits.
;
; Rows of vectors say what happens in each lane of 64 bits, or of 32 where the sort is Half.

(define-sort Word () (_ BitVec 64))
(define-sort Half () (_ BitVec 32))
; A word for each half of a word. On NEON its lanes are those of two vectors: each vector is a lane.
(define-sort Pair () (_ BitVec 128))
; A boolean, or a lane's bit of a mask register.
(define-sort Bit () (_ BitVec 1))
; AArch64's flags, as far as rows use them: C above Z.
(define-sort Flags () (_ BitVec 2))
(define-sort Imm () (_ BitVec 64))

; The exact products of unsigned words. They are declared and not defined: whoever proves with them says
; which properties of multiplication are used.
(declare-fun product64 (Word Word) (_ BitVec 128))
(declare-fun product52 ((_ BitVec 52) (_ BitVec 52)) (_ BitVec 104))
(declare-fun product32 (Half Half) Word)

(define-fun lo ((a Word)) Half ((_ extract 31 0) a))
(define-fun hi ((a Word)) Half ((_ extract 63 32) a))
(define-fun wide ((a Half)) Word ((_ zero_extend 32) a))
(define-fun first ((a Pair)) Word ((_ extract 63 0) a))
(define-fun second ((a Pair)) Word ((_ extract 127 64) a))
(define-fun bit ((c Bool)) Bit (ite c #b1 #b0))
; All ones or all zeros: the result of a vector compare.
(define-fun mask ((c Bool)) Word ((_ sign_extend 63) (bit c)))
(define-fun mask32 ((c Bool)) Half ((_ sign_extend 31) (bit c)))
(define-fun min ((a Word) (b Word)) Word (ite (bvult a b) a b))
(define-fun min32 ((a Half) (b Half)) Half (ite (bvult a b) a b))
; A word, its negative or zero, as another is positive, negative or zero.
(define-fun with-sign ((a Half) (b Half)) Half
  (ite (bvslt b (_ bv0 32)) (bvneg a) (ite (= b (_ bv0 32)) (_ bv0 32) a)))
; What an amount leaves of 64 bits.
(define-fun remaining ((n Imm)) Imm (bvsub (_ bv64 64) n))
(define-fun sign ((a Word)) Bit ((_ extract 63 63) a))
(define-fun low52 ((a Word)) (_ BitVec 52) ((_ extract 51 0) a))
; The product of signed words, from that of the same words without signs.
(define-fun if-negative ((a Half) (b Half)) Word (concat (ite (bvslt a (_ bv0 32)) b (_ bv0 32)) (_ bv0 32)))
(define-fun signed ((a Half) (b Half) (product Word)) Word
  (bvsub (bvsub product (if-negative a b)) (if-negative b a)))
; The high half of twice a product of signed words; the greatest word where it is out of range, which one
; product is.
(define-fun doubled-high ((product Word)) Half
  (ite (= product #x4000000000000000) #x7fffffff ((_ extract 62 31) product)))
; Half the difference of signed words, rounded down.
(define-fun half-difference ((a Half) (b Half)) Half
  ((_ extract 32 1) (bvsub ((_ sign_extend 1) a) ((_ sign_extend 1) b))))
(define-fun zero ((a Word)) Bit (bit (= a (_ bv0 64))))
(define-fun carry-of ((f Flags)) Bool (= ((_ extract 1 1) f) #b1))
; What an addition, and a subtraction, leave in AArch64's flags: C is set when there is *no* borrow.
(define-fun flags-of-sum ((a Word) (b Word)) Flags (concat (bit (bvult (bvadd a b) a)) (zero (bvadd a b))))
(define-fun flags-of-difference ((a Word) (b Word)) Flags
  (concat (bit (not (bvult a b))) (zero (bvsub a b))))

; == scalar
; The Rust Standard Library, primitive types u64, u32 and bool; The Rust Reference, operator
; expressions.

; u64::wrapping_add
; rust: u64::wrapping_add({0}, {1})
; class: add
(define-fun |u64::wrapping_add| ((a Word) (b Word)) Word (bvadd a b))

; u64::wrapping_sub
; rust: u64::wrapping_sub({0}, {1})
; class: add
(define-fun |u64::wrapping_sub| ((a Word) (b Word)) Word (bvsub a b))

; u64::wrapping_neg
; rust: u64::wrapping_neg({0})
; class: add
(define-fun |u64::wrapping_neg| ((a Word)) Word (bvneg a))

; u64::overflowing_add
; rust: u64::overflowing_add({0}, {1})
; class: add
(define-fun |u64::overflowing_add| ((a Word) (b Word)) Word (bvadd a b))
(define-fun |u64::overflowing_add 1| ((a Word) (b Word)) Bit (bit (bvult (bvadd a b) a)))

; u64::overflowing_sub
; rust: u64::overflowing_sub({0}, {1})
; class: add
(define-fun |u64::overflowing_sub| ((a Word) (b Word)) Word (bvsub a b))
(define-fun |u64::overflowing_sub 1| ((a Word) (b Word)) Bit (bit (bvult a b)))

; u64::wrapping_mul
; rust: u64::wrapping_mul({0}, {1})
; class: multiply
(define-fun |u64::wrapping_mul| ((a Word) (b Word)) Word ((_ extract 63 0) (product64 a b)))

; u64::carrying_mul, with nothing to carry in
; rust: u64::carrying_mul({0}, {1}, 0)
; class: multiply
(define-fun |u64::carrying_mul| ((a Word) (b Word)) Word ((_ extract 63 0) (product64 a b)))
(define-fun |u64::carrying_mul 1| ((a Word) (b Word)) Word ((_ extract 127 64) (product64 a b)))

; Arithmetic and logical binary operators: >> of an unsigned integer
; rust: {0} >> {i0}
; immediates: 0..=63
; class: shift
(define-fun |u64 >>| ((a Word) (i Imm)) Word (bvlshr a i))

; Arithmetic and logical binary operators: <<
; rust: {0} << {i0}
; immediates: 0..=63
; class: shift
(define-fun |u64 <<| ((a Word) (i Imm)) Word (bvshl a i))

; u64::cast_signed, the operator >> of a signed integer, i64::cast_unsigned
; rust: i64::cast_unsigned(u64::cast_signed({0}) >> {i0})
; immediates: 0..=63
; class: shift
(define-fun |i64 >>| ((a Word) (i Imm)) Word (bvashr a i))

; Arithmetic and logical binary operators: &
; rust: {0} & {1}
; class: logic
(define-fun |u64 &| ((a Word) (b Word)) Word (bvand a b))

; Arithmetic and logical binary operators: |
; Its name is a word because no symbol of SMT-LIB has a bar in it.
; rust: {0} | {1}
; class: logic
(define-fun |u64 or| ((a Word) (b Word)) Word (bvor a b))

; Arithmetic and logical binary operators: ^
; rust: {0} ^ {1}
; class: logic
(define-fun |u64 ^| ((a Word) (b Word)) Word (bvxor a b))

; Comparison operators: <
; rust: {0} < {1}
; class: compare
(define-fun |u64 <| ((a Word) (b Word)) Bit (bit (bvult a b)))

; core::hint::select_unpredictable
; rust: core::hint::select_unpredictable({0}, {1}, {2})
; class: select
(define-fun |select_unpredictable u64| ((a Bit) (b Word) (c Word)) Word (ite (= a #b1) b c))

; From<u32> for u64
; rust: u64::from({0})
; class: shuffle
(define-fun |u64::from| ((a Half)) Word (wide a))

; From<bool> for u64
; rust: u64::from({0})
; class: shuffle
(define-fun |u64::from bool| ((a Bit)) Word ((_ zero_extend 63) a))

; From<bool> for u32
; rust: u32::from({0})
; class: shuffle
(define-fun |u32::from| ((a Bit)) Half ((_ zero_extend 31) a))

; u32::cast_signed, From<i32> for i64, i64::cast_unsigned
; rust: i64::cast_unsigned(i64::from(u32::cast_signed({0})))
; class: shuffle
(define-fun |i64::from| ((a Half)) Word ((_ sign_extend 32) a))

; Type cast expressions: from u64 to u32
; rust: {0} as u32
; class: shuffle
(define-fun |as u32| ((a Word)) Half (lo a))

; u32::wrapping_add
; rust: u32::wrapping_add({0}, {1})
; class: add
(define-fun |u32::wrapping_add| ((a Half) (b Half)) Half (bvadd a b))

; u32::wrapping_sub
; rust: u32::wrapping_sub({0}, {1})
; class: add
(define-fun |u32::wrapping_sub| ((a Half) (b Half)) Half (bvsub a b))

; u32::overflowing_add
; rust: u32::overflowing_add({0}, {1})
; class: add
(define-fun |u32::overflowing_add| ((a Half) (b Half)) Half (bvadd a b))
(define-fun |u32::overflowing_add 1| ((a Half) (b Half)) Bit (bit (bvult (bvadd a b) a)))

; u32::overflowing_sub
; rust: u32::overflowing_sub({0}, {1})
; class: add
(define-fun |u32::overflowing_sub| ((a Half) (b Half)) Half (bvsub a b))
(define-fun |u32::overflowing_sub 1| ((a Half) (b Half)) Bit (bit (bvult a b)))

; u32::wrapping_mul
; rust: u32::wrapping_mul({0}, {1})
; class: multiply
(define-fun |u32::wrapping_mul| ((a Half) (b Half)) Half (lo (product32 a b)))

; u64::wrapping_mul of words of 32 bits, which functions that are evaluated by the compiler may call
; rust: u64::wrapping_mul({0} as u64, {1} as u64)
; class: multiply
(define-fun |widening u32| ((a Half) (b Half)) Word (product32 a b))

; i64::wrapping_mul of signed words of 32 bits
; rust: i64::cast_unsigned(i64::wrapping_mul(i64::from(u32::cast_signed({0})), i64::from(u32::cast_signed({1}))))
; template: i64::wrapping_mul({0}, {1})
; class: multiply
(define-fun |widening i32| ((a Half) (b Half)) Word (signed a b (product32 a b)))

; u32::carrying_mul, with nothing to carry in
; rust: u32::carrying_mul({0}, {1}, 0)
; class: multiply
(define-fun |u32::carrying_mul| ((a Half) (b Half)) Half (lo (product32 a b)))
(define-fun |u32::carrying_mul 1| ((a Half) (b Half)) Half (hi (product32 a b)))

; Arithmetic and logical binary operators: >> of an unsigned integer
; rust: {0} >> {i0}
; immediates: 0..=31
; class: shift
(define-fun |u32 >>| ((a Half) (i Imm)) Half (bvlshr a (lo i)))

; Arithmetic and logical binary operators: <<
; rust: {0} << {i0}
; immediates: 0..=31
; class: shift
(define-fun |u32 <<| ((a Half) (i Imm)) Half (bvshl a (lo i)))

; Arithmetic and logical binary operators: &
; rust: {0} & {1}
; class: logic
(define-fun |u32 &| ((a Half) (b Half)) Half (bvand a b))

; Ord::min of u32
; rust: u32::min({0}, {1})
; class: compare
(define-fun |u32::min| ((a Half) (b Half)) Half (min32 a b))

; core::hint::select_unpredictable
; rust: core::hint::select_unpredictable({0}, {1}, {2})
; class: select
(define-fun |select_unpredictable u32| ((a Bit) (b Half) (c Half)) Half (ite (= a #b1) b c))

; == x86_64
; AMD64 Architecture Programmer's Manual, volume 3: General-Purpose and System Instructions.
; The result takes the place of the first source. The second result is the carry flag CF; a last source
; of sort Bit is CF as well. No other flag is modelled.

; ADD
; asm: add {r0}, {1}
; template: add({0}, {1})
; class: add
(define-fun |x64 add| ((a Word) (b Word)) Word (bvadd a b))
(define-fun |x64 add 1| ((a Word) (b Word)) Bit (bit (bvult (bvadd a b) a)))

; ADD of 32-bit registers; the upper half of the register written becomes zero
; asm: add {r0:e}, {1:e}
; template: add32({0}, {1})
; class: add
(define-fun |x64 add32| ((a Word) (b Word)) Word (wide (bvadd (lo a) (lo b))))

; SUB
; asm: sub {r0}, {1}
; template: sub({0}, {1})
; class: add
(define-fun |x64 sub| ((a Word) (b Word)) Word (bvsub a b))
(define-fun |x64 sub 1| ((a Word) (b Word)) Bit (bit (bvult a b)))

; SBB
; asm: sbb {r0}, {1}
; template: sbb({0}, {1}, {2})
; class: add
(define-fun |x64 sbb| ((a Word) (b Word) (c Bit)) Word (bvsub (bvsub a b) ((_ zero_extend 63) c)))

; SBB of a 32-bit register from itself; the upper half of the register becomes zero
; asm: sbb {r0:e}, {r0:e}
; template: sbb32({0})
; class: select
(define-fun |x64 sbb32| ((a Bit)) Word (wide ((_ sign_extend 31) a)))

; SAL, SHL
; asm: shl {r0}, {i0}
; template: shl::<{i0}>({0})
; immediates: 1..=63
; class: shift
(define-fun |x64 shl| ((a Word) (i Imm)) Word (bvshl a i))

; SHR
; asm: shr {r0}, {i0}
; template: shr::<{i0}>({0})
; immediates: 1..=63
; class: shift
(define-fun |x64 shr| ((a Word) (i Imm)) Word (bvlshr a i))

; == armv8m
; Armv8-M Architecture Reference Manual, section C2.4: Alphabetical list of instructions; the Thumb
; encodings that Armv7-A has, too.
; The second result of additions and subtractions is the flag C, which is set when there is *no* borrow; a
; last source of sort Bit is C as well. No other flag is modelled. MOV, MUL and shifts as they are written
; here set no flags.

; ADDS (register)
; asm: adds {r0}, {0}, {1}
; template: adds({0}, {1})
; class: add
(define-fun |t32 adds| ((a Half) (b Half)) Half (bvadd a b))
(define-fun |t32 adds 1| ((a Half) (b Half)) Bit (bit (bvult (bvadd a b) a)))

; ADCS (register)
; asm: adcs {r0}, {0}, {1}
; template: adcs({0}, {1}, {2})
; class: add
(define-fun |t32 adcs| ((a Half) (b Half) (c Bit)) Half (bvadd (bvadd a b) ((_ zero_extend 31) c)))
(define-fun |t32 adcs 1| ((a Half) (b Half) (c Bit)) Bit
  ((_ extract 32 32) (bvadd (bvadd (concat #b0 a) (concat #b0 b)) ((_ zero_extend 32) c))))

; ADCS (immediate)
; asm: adcs {r0}, {0}, #{i0}
; template: adcs::<{i0}>({0}, {1})
; immediates: 0..=255
; class: add
(define-fun |t32 adcs imm| ((a Half) (c Bit) (i Imm)) Half (bvadd (bvadd a (lo i)) ((_ zero_extend 31) c)))
(define-fun |t32 adcs imm 1| ((a Half) (c Bit) (i Imm)) Bit
  ((_ extract 32 32) (bvadd (bvadd (concat #b0 a) (concat #b0 (lo i))) ((_ zero_extend 32) c))))

; SUBS (register)
; asm: subs {r0}, {0}, {1}
; template: subs({0}, {1})
; class: add
(define-fun |t32 subs| ((a Half) (b Half)) Half (bvsub a b))
(define-fun |t32 subs 1| ((a Half) (b Half)) Bit (bit (not (bvult a b))))

; SUBS (immediate)
; asm: subs {r0}, {0}, #{i0}
; template: subs::<{i0}>({0})
; immediates: 0..=255
; class: add
(define-fun |t32 subs imm| ((a Half) (i Imm)) Half (bvsub a (lo i)))
(define-fun |t32 subs imm 1| ((a Half) (i Imm)) Bit (bit (not (bvult a (lo i)))))

; SBCS (register)
; asm: sbcs {r0}, {0}, {1}
; template: sbcs({0}, {1}, {2})
; class: add
(define-fun |t32 sbcs| ((a Half) (b Half) (c Bit)) Half (bvsub (bvsub a b) ((_ zero_extend 31) (bvnot c))))
(define-fun |t32 sbcs 1| ((a Half) (b Half) (c Bit)) Bit
  (bit (not (bvult (concat #b0 a) (bvadd (concat #b0 b) ((_ zero_extend 32) (bvnot c)))))))

; SBCS (immediate)
; asm: sbcs {r0}, {0}, #{i0}
; template: sbcs::<{i0}>({0}, {1})
; immediates: 0..=255
; class: add
(define-fun |t32 sbcs imm| ((a Half) (c Bit) (i Imm)) Half (bvsub (bvsub a (lo i)) ((_ zero_extend 31) (bvnot c))))
(define-fun |t32 sbcs imm 1| ((a Half) (c Bit) (i Imm)) Bit
  (bit (not (bvult (concat #b0 a) (bvadd (concat #b0 (lo i)) ((_ zero_extend 32) (bvnot c)))))))

; SBC (register), of a register from itself: all ones after a borrow
; asm: sbc {r0}, {r0}, {r0}
; template: sbc({0})
; class: select
(define-fun |t32 sbc same| ((c Bit)) Half ((_ sign_extend 31) (bvnot c)))

; RSBS (immediate)
; asm: rsbs {r0}, {0}, #0
; template: rsbs({0})
; class: add
(define-fun |t32 rsbs| ((a Half)) Half (bvneg a))
(define-fun |t32 rsbs 1| ((a Half)) Bit (bit (= a (_ bv0 32))))

; MOV (immediate), ADC (immediate): the flag C as a word
; asm: mov {r0}, #0; adc {r0}, {r0}, #0
; template: carry({0})
; class: select, add
(define-fun |t32 carry| ((c Bit)) Half ((_ zero_extend 31) c))

; IT, SUBS (immediate), ADC (immediate): 2^32 - 1 more in a pair of words, if C is set
; asm: itt cs; subscs {r0}, {r0}, #1; adccs {r1}, {r1}, #0
; template: itt({0}, {1}, {2})
; class: select, add, add
(define-fun |t32 itt| ((a Half) (b Half) (c Bit)) Half (bvsub a ((_ zero_extend 31) c)))
(define-fun |t32 itt 1| ((a Half) (b Half) (c Bit)) Half
  (bvadd b ((_ zero_extend 31) (bvand c (bit (not (= a (_ bv0 32))))))))

; MOV (immediate)
; asm: mov {r0}, #{i0}
; template: mov::<{i0}>()
; immediates: 0..=255
; class: shuffle
(define-fun |t32 mov| ((i Imm)) Half (lo i))

; AND (immediate)
; asm: and {r0}, {0}, #{i0}
; template: and::<{i0}>({0})
; immediates: 0..=255
; class: logic
(define-fun |t32 and| ((a Half) (i Imm)) Half (bvand a (lo i)))

; RRXS: one bit to the right, with C above it and the lowest bit to C
; asm: rrxs {r0}, {0}
; template: rrxs({0}, {1})
; class: shift
(define-fun |t32 rrxs| ((a Half) (c Bit)) Half (concat c ((_ extract 31 1) a)))
(define-fun |t32 rrxs 1| ((a Half) (c Bit)) Bit ((_ extract 0 0) a))

; UMULL
; asm: umull {r0}, {r1}, {0}, {1}
; template: umull({0}, {1})
; class: multiply
(define-fun |t32 umull| ((a Half) (b Half)) Half (lo (product32 a b)))
(define-fun |t32 umull 1| ((a Half) (b Half)) Half (hi (product32 a b)))

; UMLAL
; asm: umlal {r0}, {r1}, {2}, {3}
; template: umlal({0}, {1}, {2}, {3})
; class: multiply
(define-fun |t32 umlal| ((a Half) (b Half) (c Half) (d Half)) Half (lo (bvadd (concat b a) (product32 c d))))
(define-fun |t32 umlal 1| ((a Half) (b Half) (c Half) (d Half)) Half (hi (bvadd (concat b a) (product32 c d))))

; == aarch64
; Arm Architecture Reference Manual for A-profile architecture, section C6.2: Alphabetical list of
; A64 base instructions.
; Flags are an explicit result and source. Only C and Z are modelled, and only C is read.

; ADD (shifted register)
; asm: add {r0}, {0}, {1}
; class: add
(define-fun |a64 add| ((a Word) (b Word)) Word (bvadd a b))

; ADD (shifted register)
; asm: add {r0}, {0}, {1}, lsr #{i0}
; immediates: 1..=63
; class: add
(define-fun |a64 add lsr| ((a Word) (b Word) (i Imm)) Word (bvadd a (bvlshr b i)))

; SUB (shifted register)
; asm: sub {r0}, {0}, {1}
; class: add
(define-fun |a64 sub| ((a Word) (b Word)) Word (bvsub a b))

; SUB (shifted register)
; asm: sub {r0}, {0}, {1}, lsl #{i0}
; immediates: 1..=63
; class: add
(define-fun |a64 sub lsl| ((a Word) (b Word) (i Imm)) Word (bvsub a (bvshl b i)))

; ADDS (shifted register)
; asm: adds {r0}, {0}, {1}
; class: add
(define-fun |a64 adds| ((a Word) (b Word)) Word (bvadd a b))
(define-fun |a64 adds 1| ((a Word) (b Word)) Flags (flags-of-sum a b))

; SUBS (shifted register)
; asm: subs {r0}, {0}, {1}
; class: add
(define-fun |a64 subs| ((a Word) (b Word)) Word (bvsub a b))
(define-fun |a64 subs 1| ((a Word) (b Word)) Flags (flags-of-difference a b))

; SUBS (shifted register)
; asm: subs {r0}, {0}, {1}, lsl #{i0}
; immediates: 1..=63
; class: add
(define-fun |a64 subs lsl| ((a Word) (b Word) (i Imm)) Word (bvsub a (bvshl b i)))
(define-fun |a64 subs lsl 1| ((a Word) (b Word) (i Imm)) Flags (flags-of-difference a (bvshl b i)))

; CSEL
; asm: csel {r0}, {0}, {1}, cs
; class: select
(define-fun |a64 csel cs| ((a Word) (b Word) (c Flags)) Word (ite (carry-of c) a b))

; CSEL
; asm: csel {r0}, {0}, {1}, cc
; class: select
(define-fun |a64 csel cc| ((a Word) (b Word) (c Flags)) Word (ite (carry-of c) b a))

; CSETM of a 32-bit register; the upper half of the register becomes zero
; asm: csetm {r0:w}, cs
; class: select
(define-fun |a64 csetm w cs| ((a Flags)) Word (ite (carry-of a) #x00000000ffffffff #x0000000000000000))

; CSETM of a 32-bit register; the upper half of the register becomes zero
; asm: csetm {r0:w}, cc
; class: select
(define-fun |a64 csetm w cc| ((a Flags)) Word
  (ite (not (carry-of a)) #x00000000ffffffff #x0000000000000000))

; CSET
; asm: cset {r0}, cs
; class: select
(define-fun |a64 cset cs| ((a Flags)) Word ((_ zero_extend 63) (bit (carry-of a))))

; CSET
; asm: cset {r0}, cc
; class: select
(define-fun |a64 cset cc| ((a Flags)) Word ((_ zero_extend 63) (bit (not (carry-of a)))))

; MUL
; asm: mul {r0}, {0}, {1}
; class: multiply
(define-fun |a64 mul| ((a Word) (b Word)) Word ((_ extract 63 0) (product64 a b)))

; UMULH
; asm: umulh {r0}, {0}, {1}
; class: multiply
(define-fun |a64 umulh| ((a Word) (b Word)) Word ((_ extract 127 64) (product64 a b)))

; UMULL
; asm: umull {r0}, {0:w}, {1:w}
; class: multiply
(define-fun |a64 umull| ((a Word) (b Word)) Word (product32 (lo a) (lo b)))

; UMADDL
; asm: umaddl {r0}, {0:w}, {1:w}, {2}
; class: multiply
(define-fun |a64 umaddl| ((a Word) (b Word) (c Word)) Word (bvadd c (product32 (lo a) (lo b))))

; LSL (immediate)
; asm: lsl {r0}, {0}, #{i0}
; immediates: 0..=63
; class: shift
(define-fun |a64 lsl| ((a Word) (i Imm)) Word (bvshl a i))

; LSR (immediate)
; asm: lsr {r0}, {0}, #{i0}
; immediates: 0..=63
; class: shift
(define-fun |a64 lsr| ((a Word) (i Imm)) Word (bvlshr a i))

; SBFX
; Bits that are not there are not counted; the assembler refuses such immediates.
; asm: sbfx {r0}, {0}, #{i0}, #{i1}
; immediates: 0..=63, 1..=64
; class: shift
(define-fun |a64 sbfx| ((a Word) (i Imm) (j Imm)) Word
  (bvashr (bvshl a (bvsub (remaining i) (min j (remaining i)))) (remaining (min j (remaining i)))))

; UBFIZ
; Bits that are not there are not counted; the assembler refuses such immediates.
; asm: ubfiz {r0}, {0}, #{i0}, #{i1}
; immediates: 0..=63, 1..=64
; class: shift
(define-fun |a64 ubfiz| ((a Word) (i Imm) (j Imm)) Word
  (bvlshr (bvshl a (remaining (min j (remaining i)))) (bvsub (remaining (min j (remaining i))) i)))

; AND (shifted register)
; asm: and {r0}, {0}, {1}
; class: logic
(define-fun |a64 and| ((a Word) (b Word)) Word (bvand a b))

; ORR (shifted register)
; asm: orr {r0}, {0}, {1}
; class: logic
(define-fun |a64 orr| ((a Word) (b Word)) Word (bvor a b))

; == neon
; Arm Architecture Reference Manual for A-profile architecture, section C7.2: Alphabetical list of
; A64 Advanced SIMD and floating-point instructions. Intrinsics: Arm Neon Intrinsics Reference for
; ACLE, which names the instruction of each.

; ADD (vector)
; rust: vaddq_u64({0}, {1})
; asm: add {r0:v}.2d, {0:v}.2d, {1:v}.2d
; class: add
(define-fun vaddq_u64 ((a Word) (b Word)) Word (bvadd a b))

; SUB (vector)
; rust: vsubq_u64({0}, {1})
; asm: sub {r0:v}.2d, {0:v}.2d, {1:v}.2d
; class: add
(define-fun vsubq_u64 ((a Word) (b Word)) Word (bvsub a b))

; SQADD
; The sum of signed words; the greatest or least one where it is out of range.
; rust: vreinterpretq_u64_s64(vqaddq_s64(vreinterpretq_s64_u64({0}), vreinterpretq_s64_u64({1})))
; asm: sqadd {r0:v}.2d, {0:v}.2d, {1:v}.2d
; template: vqaddq_s64({0}, {1})
; class: add
(define-fun vqaddq_s64 ((a Word) (b Word)) Word
  (ite (= (bvand (bvnot (bvxor (sign a) (sign b))) (bvxor (sign a) (sign (bvadd a b)))) #b1)
    (ite (= (sign a) #b1) #x8000000000000000 (bvnot #x8000000000000000))
    (bvadd a b)))

; USUBW, USUBW2
; rust: vsubw_u32({0}, {1})
; asm: usubw {r0:v}.2d, {0:v}.2d, {1:v}.2s
; class: add
(define-fun vsubw_u32 ((a Word) (b Half)) Word (bvsub a (wide b)))

; UADDL, UADDL2
; rust: vaddl_u32({0}, {1})
; asm: uaddl {r0:v}.2d, {0:v}.2s, {1:v}.2s
; class: add
(define-fun vaddl_u32 ((a Half) (b Half)) Word (bvadd (wide a) (wide b)))

; USUBL, USUBL2
; rust: vsubl_u32({0}, {1})
; asm: usubl {r0:v}.2d, {0:v}.2s, {1:v}.2s
; class: add
(define-fun vsubl_u32 ((a Half) (b Half)) Word (bvsub (wide a) (wide b)))

; UMULL, UMULL2 (vector)
; rust: vmull_u32({0}, {1})
; asm: umull {r0:v}.2d, {0:v}.2s, {1:v}.2s
; class: multiply
(define-fun vmull_u32 ((a Half) (b Half)) Word (product32 a b))

; UMLAL, UMLAL2 (vector)
; rust: vmlal_u32({0}, {1}, {2})
; asm: umlal {r0:v}.2d, {1:v}.2s, {2:v}.2s
; class: multiply
(define-fun vmlal_u32 ((a Word) (b Half) (c Half)) Word (bvadd a (product32 b c)))

; SMULL, SMULL2 (vector)
; rust: (vmull_s32(vget_low_s32(vreinterpretq_s32_u64({0})), vget_low_s32(vreinterpretq_s32_u64({1}))), vmull_high_s32(vreinterpretq_s32_u64({0}), vreinterpretq_s32_u64({1})))
; block: { let (first, second): (int64x2_t, int64x2_t); unsafe { core::arch::asm!("smull {first:v}.2d, {a:v}.2s, {b:v}.2s", "smull2 {second:v}.2d, {a:v}.4s, {b:v}.4s", a = in(vreg) {0}, b = in(vreg) {1}, first = out(vreg) first, second = lateout(vreg) second, options(nomem, nostack)); } (first, second) }
; template: vmull_s32x4({0}, {1})
; class: multiply, multiply
(define-fun vmull_s32x4 ((a Word) (b Word)) Pair
  (concat (signed (hi a) (hi b) (product32 (hi a) (hi b))) (signed (lo a) (lo b) (product32 (lo a) (lo b)))))

; SMLAL, SMLAL2 (vector)
; rust: (vmlal_s32({0}.0, vget_low_s32(vreinterpretq_s32_u64({1})), vget_low_s32(vreinterpretq_s32_u64({2}))), vmlal_high_s32({0}.1, vreinterpretq_s32_u64({1}), vreinterpretq_s32_u64({2})))
; template: vmlal_s32x4({0}, {1}, {2})
; class: multiply, multiply
(define-fun vmlal_s32x4 ((a Pair) (b Word) (c Word)) Pair
  (concat (bvadd (second a) (signed (hi b) (hi c) (product32 (hi b) (hi c))))
    (bvadd (first a) (signed (lo b) (lo c) (product32 (lo b) (lo c))))))

; SMLSL, SMLSL2 (vector)
; rust: (vmlsl_s32({0}.0, vget_low_s32(vreinterpretq_s32_u64({1})), vget_low_s32(vreinterpretq_s32_u64({2}))), vmlsl_high_s32({0}.1, vreinterpretq_s32_u64({1}), vreinterpretq_s32_u64({2})))
; block: { let (first, second): (int64x2_t, int64x2_t); unsafe { core::arch::asm!("smlsl {first:v}.2d, {a:v}.2s, {b:v}.2s", "smlsl2 {second:v}.2d, {a:v}.4s, {b:v}.4s", a = in(vreg) {1}, b = in(vreg) {2}, first = inout(vreg) {0}.0 => first, second = inlateout(vreg) {0}.1 => second, options(nomem, nostack)); } (first, second) }
; template: vmlsl_s32x4({0}, {1}, {2})
; class: multiply, multiply
(define-fun vmlsl_s32x4 ((a Pair) (b Word) (c Word)) Pair
  (concat (bvsub (second a) (signed (hi b) (hi c) (product32 (hi b) (hi c))))
    (bvsub (first a) (signed (lo b) (lo c) (product32 (lo b) (lo c))))))

; UZP1
; The low half of each word.
; rust: vreinterpretq_u64_s32(vuzp1q_s32(vreinterpretq_s32_s64({0}.0), vreinterpretq_s32_s64({0}.1)))
; block: { let word: uint64x2_t; unsafe { core::arch::asm!("uzp1 {word:v}.4s, {first:v}.4s, {second:v}.4s", first = in(vreg) {0}.0, second = in(vreg) {0}.1, word = lateout(vreg) word, options(nomem, nostack)); } word }
; template: vuzp1q_s32x4({0})
; class: shuffle
(define-fun vuzp1q_s32x4 ((a Pair)) Word (concat (lo (second a)) (lo (first a))))

; UZP2
; The high half of each word.
; rust: vreinterpretq_u64_s32(vuzp2q_s32(vreinterpretq_s32_s64({0}.0), vreinterpretq_s32_s64({0}.1)))
; block: { let word: uint64x2_t; unsafe { core::arch::asm!("uzp2 {word:v}.4s, {first:v}.4s, {second:v}.4s", first = in(vreg) {0}.0, second = in(vreg) {0}.1, word = lateout(vreg) word, options(nomem, nostack)); } word }
; template: vuzp2q_s32x4({0})
; class: shuffle
(define-fun vuzp2q_s32x4 ((a Pair)) Word (concat (hi (second a)) (hi (first a))))

; AND (vector)
; rust: vandq_u64({0}, {1})
; asm: and {r0:v}.16b, {0:v}.16b, {1:v}.16b
; class: logic
(define-fun vandq_u64 ((a Word) (b Word)) Word (bvand a b))

; EOR (vector)
; rust: veorq_u64({0}, {1})
; asm: eor {r0:v}.16b, {0:v}.16b, {1:v}.16b
; class: logic
(define-fun veorq_u64 ((a Word) (b Word)) Word (bvxor a b))

; SHL
; rust: vshlq_n_u64::<{i0}>({0})
; asm: shl {r0:v}.2d, {0:v}.2d, #{i0}
; immediates: 0..=63
; class: shift
(define-fun vshlq_n_u64 ((a Word) (i Imm)) Word (bvshl a i))

; USHR
; rust: vshrq_n_u64::<{i0}>({0})
; asm: ushr {r0:v}.2d, {0:v}.2d, #{i0}
; immediates: 1..=64
; class: shift
(define-fun vshrq_n_u64 ((a Word) (i Imm)) Word (bvlshr a i))

; USRA
; rust: vsraq_n_u64::<{i0}>({0}, {1})
; asm: usra {r0:v}.2d, {1:v}.2d, #{i0}
; immediates: 1..=64
; class: shift
(define-fun vsraq_n_u64 ((a Word) (b Word) (i Imm)) Word (bvadd a (bvlshr b i)))

; SLI
; The second source, shifted left, over the low bits of the first.
; rust: vsliq_n_u64::<{i0}>({0}, {1})
; asm: sli {r0:v}.2d, {1:v}.2d, #{i0}
; immediates: 0..=63
; class: shift
(define-fun vsliq_n_u64 ((a Word) (b Word) (i Imm)) Word
  (bvor (bvshl b i) (bvlshr (bvshl a (remaining i)) (remaining i))))

; SRI
; The second source, shifted right, under the high bits of the first.
; rust: vsriq_n_u64::<{i0}>({0}, {1})
; asm: sri {r0:v}.2d, {1:v}.2d, #{i0}
; immediates: 1..=64
; class: shift
(define-fun vsriq_n_u64 ((a Word) (b Word) (i Imm)) Word
  (bvor (bvlshr b i) (bvshl (bvlshr a (remaining i)) (remaining i))))

; CMHI (register)
; rust: vcgtq_u64({0}, {1})
; asm: cmhi {r0:v}.2d, {0:v}.2d, {1:v}.2d
; class: compare
(define-fun vcgtq_u64 ((a Word) (b Word)) Word (mask (bvult b a)))

; CMHS (register)
; rust: vcgeq_u64({0}, {1})
; asm: cmhs {r0:v}.2d, {0:v}.2d, {1:v}.2d
; class: compare
(define-fun vcgeq_u64 ((a Word) (b Word)) Word (mask (not (bvult a b))))

; CMTST
; rust: vtstq_u64({0}, {1})
; asm: cmtst {r0:v}.2d, {0:v}.2d, {1:v}.2d
; class: compare
(define-fun vtstq_u64 ((a Word) (b Word)) Word (mask (not (= (bvand a b) (_ bv0 64)))))

; XTN, XTN2
; rust: vmovn_u64({0})
; asm: xtn {r0:v}.2s, {0:v}.2d
; class: shuffle
(define-fun vmovn_u64 ((a Word)) Half (lo a))

; SHRN, SHRN2
; rust: vshrn_n_u64::<{i0}>({0})
; asm: shrn {r0:v}.2s, {0:v}.2d, #{i0}
; immediates: 1..=32
; class: shuffle
(define-fun vshrn_n_u64 ((a Word) (i Imm)) Half (lo (bvlshr a i)))

; ADD (vector)
; rust: vreinterpretq_u64_u32(vaddq_u32(vreinterpretq_u32_u64({0}), vreinterpretq_u32_u64({1})))
; asm: add {r0:v}.4s, {0:v}.4s, {1:v}.4s
; template: vaddq_u32({0}, {1})
; class: add
(define-fun vaddq_u32 ((a Word) (b Word)) Word
  (concat (bvadd (hi a) (hi b)) (bvadd (lo a) (lo b))))

; SUB (vector)
; rust: vreinterpretq_u64_u32(vsubq_u32(vreinterpretq_u32_u64({0}), vreinterpretq_u32_u64({1})))
; asm: sub {r0:v}.4s, {0:v}.4s, {1:v}.4s
; template: vsubq_u32({0}, {1})
; class: add
(define-fun vsubq_u32 ((a Word) (b Word)) Word
  (concat (bvsub (hi a) (hi b)) (bvsub (lo a) (lo b))))

; SHSUB
; rust: vreinterpretq_u64_s32(vhsubq_s32(vreinterpretq_s32_u64({0}), vreinterpretq_s32_u64({1})))
; asm: shsub {r0:v}.4s, {0:v}.4s, {1:v}.4s
; template: vhsubq_s32({0}, {1})
; class: add
(define-fun vhsubq_s32 ((a Word) (b Word)) Word
  (concat (half-difference (hi a) (hi b)) (half-difference (lo a) (lo b))))

; UMIN
; rust: vreinterpretq_u64_u32(vminq_u32(vreinterpretq_u32_u64({0}), vreinterpretq_u32_u64({1})))
; asm: umin {r0:v}.4s, {0:v}.4s, {1:v}.4s
; template: vminq_u32({0}, {1})
; class: compare
(define-fun vminq_u32 ((a Word) (b Word)) Word
  (concat (min32 (hi a) (hi b)) (min32 (lo a) (lo b))))

; MUL (vector)
; rust: vreinterpretq_u64_u32(vmulq_u32(vreinterpretq_u32_u64({0}), vreinterpretq_u32_u64({1})))
; asm: mul {r0:v}.4s, {0:v}.4s, {1:v}.4s
; template: vmulq_u32({0}, {1})
; class: multiply
(define-fun vmulq_u32 ((a Word) (b Word)) Word
  (concat (lo (product32 (hi a) (hi b))) (lo (product32 (lo a) (lo b)))))

; MLS (vector)
; rust: vreinterpretq_u64_u32(vmlsq_u32(vreinterpretq_u32_u64({0}), vreinterpretq_u32_u64({1}), vreinterpretq_u32_u64({2})))
; asm: mls {r0:v}.4s, {1:v}.4s, {2:v}.4s
; template: vmlsq_u32({0}, {1}, {2})
; class: multiply
(define-fun vmlsq_u32 ((a Word) (b Word) (c Word)) Word
  (concat (bvsub (hi a) (lo (product32 (hi b) (hi c)))) (bvsub (lo a) (lo (product32 (lo b) (lo c))))))

; SQDMULH (vector)
; rust: vreinterpretq_u64_s32(vqdmulhq_s32(vreinterpretq_s32_u64({0}), vreinterpretq_s32_u64({1})))
; asm: sqdmulh {r0:v}.4s, {0:v}.4s, {1:v}.4s
; template: vqdmulhq_s32({0}, {1})
; class: multiply
(define-fun vqdmulhq_s32 ((a Word) (b Word)) Word
  (concat (doubled-high (signed (hi a) (hi b) (product32 (hi a) (hi b))))
    (doubled-high (signed (lo a) (lo b) (product32 (lo a) (lo b))))))

; SHL
; rust: vreinterpretq_u64_u32(vshlq_n_u32::<{i0}>(vreinterpretq_u32_u64({0})))
; asm: shl {r0:v}.4s, {0:v}.4s, #{i0}
; template: vshlq_n_u32::<{i0}>({0})
; immediates: 0..=31
; class: shift
(define-fun vshlq_n_u32 ((a Word) (i Imm)) Word
  (concat (bvshl (hi a) (lo i)) (bvshl (lo a) (lo i))))

; USHR
; rust: vreinterpretq_u64_u32(vshrq_n_u32::<{i0}>(vreinterpretq_u32_u64({0})))
; asm: ushr {r0:v}.4s, {0:v}.4s, #{i0}
; template: vshrq_n_u32::<{i0}>({0})
; immediates: 1..=32
; class: shift
(define-fun vshrq_n_u32 ((a Word) (i Imm)) Word
  (concat (bvlshr (hi a) (lo i)) (bvlshr (lo a) (lo i))))

; SSHR
; rust: vreinterpretq_u64_s32(vshrq_n_s32::<{i0}>(vreinterpretq_s32_u64({0})))
; asm: sshr {r0:v}.4s, {0:v}.4s, #{i0}
; template: vshrq_n_s32::<{i0}>({0})
; immediates: 1..=32
; class: shift
(define-fun vshrq_n_s32 ((a Word) (i Imm)) Word
  (concat (bvashr (hi a) (lo i)) (bvashr (lo a) (lo i))))

; == lanes
; Arm Architecture Reference Manual for A-profile architecture, section C7.2: Alphabetical list of
; A64 Advanced SIMD and floating-point instructions.
; Words between general registers and lanes of a vector. The meaning is that of the lane that the name
; says. No template has these rows: the generator writes them.

; FMOV (general), from the low 64 bits
; asm: fmov {r0}, {0:d}
; class: shuffle
(define-fun |take lane 0| ((a Word)) Word a)

; MOV (to general)
; asm: mov {r0}, {0:v}.d[1]
; class: shuffle
(define-fun |take lane 1| ((a Word)) Word a)

; FMOV (general), to the low 64 bits; the upper lane becomes zero
; asm: fmov {r0:d}, {0}
; class: shuffle
(define-fun |join lane 0| ((a Word)) Word a)

; MOV (from general); the lower lane stays
; asm: mov {r0:v}.d[1], {1}
; class: shuffle
(define-fun |join lane 1| ((a Word) (b Word)) Word b)

; == wasm
; WebAssembly Core Specification, release 3.0, section 4.4.3: Vector Instructions. Intrinsics: The Rust
; Standard Library, core::arch::wasm32, which names the instruction of each.
; A vector has two lanes of 64 bits, or four of 32 where the sort is Half; no row is of both. Products of 64
; bits are of neighbours, so rows that multiply are several instructions: a shuffle brings the low halves of
; both lanes to one end and the high ones to the other. Where LLVM sees factors that are nothing but low or
; high halves, it makes a product of whole words of them, which takes three times as long; words that have
; both stay as they are, and all products of a word share its shuffles.

; i64x2.add
; rust: i64x2_add({0}, {1})
; class: add
(define-fun i64x2_add ((a Word) (b Word)) Word (bvadd a b))

; i64x2.sub
; rust: i64x2_sub({0}, {1})
; class: add
(define-fun i64x2_sub ((a Word) (b Word)) Word (bvsub a b))

; i8x16.shuffle, i8x16.shuffle, i64x2.extmul_low_i32x4_u, i64x2.extmul_high_i32x4_u
; The product of low halves, and that of high halves.
; rust: (u64x2_extmul_low_u32x4(i32x4_shuffle::<0, 2, 1, 3>({0}, {0}), i32x4_shuffle::<0, 2, 1, 3>({1}, {1})), u64x2_extmul_high_u32x4(i32x4_shuffle::<0, 2, 1, 3>({0}, {0}), i32x4_shuffle::<0, 2, 1, 3>({1}, {1})))
; template: u64x2_mul_halves({0}, {1})
; class: shuffle, shuffle, multiply, multiply
(define-fun u64x2_mul_halves ((a Word) (b Word)) Word (product32 (lo a) (lo b)))
(define-fun |u64x2_mul_halves 1| ((a Word) (b Word)) Word (product32 (hi a) (hi b)))

; i8x16.shuffle, i8x16.shuffle, i64x2.extmul_low_i32x4_u, i64x2.extmul_high_i32x4_u
; The product of the low and the high half, and that of the high and the low half.
; rust: (u64x2_extmul_low_u32x4(i32x4_shuffle::<0, 2, 1, 3>({0}, {0}), i32x4_shuffle::<1, 3, 0, 2>({1}, {1})), u64x2_extmul_high_u32x4(i32x4_shuffle::<0, 2, 1, 3>({0}, {0}), i32x4_shuffle::<1, 3, 0, 2>({1}, {1})))
; template: u64x2_mul_across({0}, {1})
; class: shuffle, shuffle, multiply, multiply
(define-fun u64x2_mul_across ((a Word) (b Word)) Word (product32 (lo a) (hi b)))
(define-fun |u64x2_mul_across 1| ((a Word) (b Word)) Word (product32 (hi a) (lo b)))

; i8x16.shuffle, i8x16.shuffle, i64x2.extmul_low_i32x4_u
; The product of the low and the high half.
; rust: u64x2_extmul_low_u32x4(i32x4_shuffle::<0, 2, 1, 3>({0}, {0}), i32x4_shuffle::<1, 3, 0, 2>({0}, {0}))
; template: u64x2_mul_own_halves({0})
; class: shuffle, shuffle, multiply
(define-fun u64x2_mul_own_halves ((a Word)) Word (product32 (lo a) (hi a)))

; i8x16.shuffle, i8x16.shuffle, i64x2.extmul_low_i32x4_s, i64x2.extmul_high_i32x4_s
; The product of low halves, and that of high halves, all signed.
; rust: (i64x2_extmul_low_i32x4(i32x4_shuffle::<0, 2, 1, 3>({0}, {0}), i32x4_shuffle::<0, 2, 1, 3>({1}, {1})), i64x2_extmul_high_i32x4(i32x4_shuffle::<0, 2, 1, 3>({0}, {0}), i32x4_shuffle::<0, 2, 1, 3>({1}, {1})))
; template: i64x2_mul_halves({0}, {1})
; class: shuffle, shuffle, multiply, multiply
(define-fun i64x2_mul_halves ((a Word) (b Word)) Word (signed (lo a) (lo b) (product32 (lo a) (lo b))))
(define-fun |i64x2_mul_halves 1| ((a Word) (b Word)) Word (signed (hi a) (hi b) (product32 (hi a) (hi b))))

; i8x16.shuffle, i8x16.shuffle, i64x2.extmul_low_i32x4_s, i64x2.extmul_high_i32x4_s
; The product of the low and the high half, and that of the high and the low half, all signed.
; rust: (i64x2_extmul_low_i32x4(i32x4_shuffle::<0, 2, 1, 3>({0}, {0}), i32x4_shuffle::<1, 3, 0, 2>({1}, {1})), i64x2_extmul_high_i32x4(i32x4_shuffle::<0, 2, 1, 3>({0}, {0}), i32x4_shuffle::<1, 3, 0, 2>({1}, {1})))
; template: i64x2_mul_across({0}, {1})
; class: shuffle, shuffle, multiply, multiply
(define-fun i64x2_mul_across ((a Word) (b Word)) Word (signed (lo a) (hi b) (product32 (lo a) (hi b))))
(define-fun |i64x2_mul_across 1| ((a Word) (b Word)) Word (signed (hi a) (lo b) (product32 (hi a) (lo b))))

; i8x16.shuffle, i8x16.shuffle, i64x2.extmul_low_i32x4_s
; The product of the low and the high half, both signed.
; rust: i64x2_extmul_low_i32x4(i32x4_shuffle::<0, 2, 1, 3>({0}, {0}), i32x4_shuffle::<1, 3, 0, 2>({0}, {0}))
; template: i64x2_mul_own_halves({0})
; class: shuffle, shuffle, multiply
(define-fun i64x2_mul_own_halves ((a Word)) Word (signed (lo a) (hi a) (product32 (lo a) (hi a))))

; i8x16.shuffle, i64x2.extend_low_i32x4_s
; The high half, signed.
; rust: i64x2_extend_low_i32x4(i32x4_shuffle::<1, 3, 0, 2>({0}, {0}))
; template: i64x2_high_half({0})
; class: shuffle, shuffle
(define-fun i64x2_high_half ((a Word)) Word (bvashr a #x0000000000000020))

; v128.and
; rust: v128_and({0}, {1})
; class: logic
(define-fun v128_and ((a Word) (b Word)) Word (bvand a b))

; v128.andnot
; rust: v128_andnot({0}, {1})
; class: logic
(define-fun v128_andnot ((a Word) (b Word)) Word (bvand a (bvnot b)))

; v128.or
; rust: v128_or({0}, {1})
; class: logic
(define-fun v128_or ((a Word) (b Word)) Word (bvor a b))

; v128.xor
; rust: v128_xor({0}, {1})
; class: logic
(define-fun v128_xor ((a Word) (b Word)) Word (bvxor a b))

; i64x2.shl
; rust: i64x2_shl({0}, {i0})
; immediates: 0..=63
; class: shift
(define-fun i64x2_shl ((a Word) (i Imm)) Word (bvshl a i))

; i64x2.shr_u
; rust: u64x2_shr({0}, {i0})
; immediates: 0..=63
; class: shift
(define-fun u64x2_shr ((a Word) (i Imm)) Word (bvlshr a i))

; i64x2.gt_s
; rust: i64x2_gt({0}, {1})
; class: compare
(define-fun i64x2_gt ((a Word) (b Word)) Word (mask (bvslt b a)))

; i32x4.gt_s
; rust: i32x4_gt({0}, {1})
; class: compare
(define-fun i32x4_gt ((a Word) (b Word)) Word
  (concat (mask32 (bvslt (hi b) (hi a))) (mask32 (bvslt (lo b) (lo a)))))

; i8x16.shuffle
; The low half of one and the high half of the other.
; rust: i32x4_shuffle::<0, 5, 2, 7>({0}, {1})
; template: i32x4_blend({0}, {1})
; class: shuffle
(define-fun i32x4_blend ((a Word) (b Word)) Word (concat (hi b) (lo a)))

; i32x4.add
; rust: i32x4_add({0}, {1})
; class: add
(define-fun i32x4_add ((a Half) (b Half)) Half (bvadd a b))

; i32x4.sub
; rust: i32x4_sub({0}, {1})
; class: add
(define-fun i32x4_sub ((a Half) (b Half)) Half (bvsub a b))

; i32x4.mul
; rust: i32x4_mul({0}, {1})
; class: multiply
(define-fun i32x4_mul ((a Half) (b Half)) Half (lo (product32 a b)))

; i64x2.extmul_low_i32x4_u, i64x2.extmul_high_i32x4_u, i8x16.shuffle
; rust: i32x4_shuffle::<1, 3, 5, 7>(u64x2_extmul_low_u32x4({0}, {1}), u64x2_extmul_high_u32x4({0}, {1}))
; template: u32x4_mul_high({0}, {1})
; class: multiply, multiply, shuffle
(define-fun u32x4_mul_high ((a Half) (b Half)) Half (hi (product32 a b)))

; i64x2.extmul_low_i32x4_s, i64x2.extmul_high_i32x4_s, i8x16.shuffle
; rust: i32x4_shuffle::<1, 3, 5, 7>(i64x2_extmul_low_i32x4({0}, {1}), i64x2_extmul_high_i32x4({0}, {1}))
; template: i32x4_mul_high({0}, {1})
; class: multiply, multiply, shuffle
(define-fun i32x4_mul_high ((a Half) (b Half)) Half (hi (signed a b (product32 a b))))

; v128.and
; rust: v128_and({0}, {1})
; class: logic
(define-fun |v128_and i32x4| ((a Half) (b Half)) Half (bvand a b))

; i32x4.shl
; rust: i32x4_shl({0}, {i0})
; immediates: 0..=31
; class: shift
(define-fun i32x4_shl ((a Half) (i Imm)) Half (bvshl a (lo i)))

; i32x4.shr_u
; rust: u32x4_shr({0}, {i0})
; immediates: 0..=31
; class: shift
(define-fun u32x4_shr ((a Half) (i Imm)) Half (bvlshr a (lo i)))

; i32x4.shr_s
; rust: i32x4_shr({0}, {i0})
; immediates: 0..=31
; class: shift
(define-fun i32x4_shr ((a Half) (i Imm)) Half (bvashr a (lo i)))

; i32x4.min_u
; rust: u32x4_min({0}, {1})
; class: compare
(define-fun u32x4_min ((a Half) (b Half)) Half (min32 a b))

; == sse2
; Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2: Instruction Set Reference.
; Intrinsics: Intel Intrinsics Guide, which names the instruction of each.

; PADDB/PADDW/PADDD/PADDQ, vol. 2B
; rust: _mm_add_epi64({0}, {1})
; class: add
(define-fun _mm_add_epi64 ((a Word) (b Word)) Word (bvadd a b))

; PSUBQ, vol. 2B
; rust: _mm_sub_epi64({0}, {1})
; class: add
(define-fun _mm_sub_epi64 ((a Word) (b Word)) Word (bvsub a b))

; PSRLW/PSRLD/PSRLQ, vol. 2B
; rust: _mm_srli_epi64::<{i0}>({0})
; immediates: 0..=63
; class: shift
(define-fun _mm_srli_epi64 ((a Word) (i Imm)) Word (bvlshr a i))

; PSLLW/PSLLD/PSLLQ, vol. 2B
; rust: _mm_slli_epi64::<{i0}>({0})
; immediates: 0..=63
; class: shift
(define-fun _mm_slli_epi64 ((a Word) (i Imm)) Word (bvshl a i))

; == avx2
; Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2: Instruction Set Reference.
; Intrinsics: Intel Intrinsics Guide, which names the instruction of each.
; Shuffles are listed only with those immediates that stay within a lane of 64 bits.

; An empty block of assembler, which the Rust Reference describes under Inline assembly: LLVM knows nothing of what it
; gives. Of a product whose high half nobody reads, LLVM would make one of 64 bits, which takes three times as long.
; rust: opaque!({0})
; class: none
(define-fun |opaque 256| ((a Word)) Word a)

; PADDB/PADDW/PADDD/PADDQ, vol. 2B
; rust: _mm256_add_epi64({0}, {1})
; class: add
(define-fun _mm256_add_epi64 ((a Word) (b Word)) Word (bvadd a b))

; PSUBQ, vol. 2B
; rust: _mm256_sub_epi64({0}, {1})
; class: add
(define-fun _mm256_sub_epi64 ((a Word) (b Word)) Word (bvsub a b))

; PADDB/PADDW/PADDD/PADDQ, vol. 2B
; rust: _mm256_add_epi32({0}, {1})
; class: add
(define-fun _mm256_add_epi32 ((a Word) (b Word)) Word
  (concat (bvadd (hi a) (hi b)) (bvadd (lo a) (lo b))))

; PSUBB/PSUBW/PSUBD, vol. 2B
; rust: _mm256_sub_epi32({0}, {1})
; class: add
(define-fun _mm256_sub_epi32 ((a Word) (b Word)) Word
  (concat (bvsub (hi a) (hi b)) (bvsub (lo a) (lo b))))

; PMULUDQ, vol. 2B
; rust: _mm256_mul_epu32({0}, {1})
; class: multiply
(define-fun _mm256_mul_epu32 ((a Word) (b Word)) Word (product32 (lo a) (lo b)))

; PMULDQ, vol. 2B
; rust: _mm256_mul_epi32({0}, {1})
; class: multiply
(define-fun _mm256_mul_epi32 ((a Word) (b Word)) Word (signed (lo a) (lo b) (product32 (lo a) (lo b))))

; PMULLD/PMULLQ, vol. 2B
; rust: _mm256_mullo_epi32({0}, {1})
; class: multiply
(define-fun _mm256_mullo_epi32 ((a Word) (b Word)) Word
  (concat (lo (product32 (hi a) (hi b))) (lo (product32 (lo a) (lo b)))))

; PSIGNB/PSIGNW/PSIGND, vol. 2B
; rust: _mm256_sign_epi32({0}, {1})
; class: select
(define-fun _mm256_sign_epi32 ((a Word) (b Word)) Word
  (concat (with-sign (hi a) (hi b)) (with-sign (lo a) (lo b))))

; PAND, vol. 2B
; rust: _mm256_and_si256({0}, {1})
; class: logic
(define-fun _mm256_and_si256 ((a Word) (b Word)) Word (bvand a b))

; PANDN, vol. 2B
; rust: _mm256_andnot_si256({0}, {1})
; class: logic
(define-fun _mm256_andnot_si256 ((a Word) (b Word)) Word (bvand (bvnot a) b))

; POR, vol. 2B
; rust: _mm256_or_si256({0}, {1})
; class: logic
(define-fun _mm256_or_si256 ((a Word) (b Word)) Word (bvor a b))

; PXOR, vol. 2B
; rust: _mm256_xor_si256({0}, {1})
; class: logic
(define-fun _mm256_xor_si256 ((a Word) (b Word)) Word (bvxor a b))

; PSLLW/PSLLD/PSLLQ, vol. 2B
; rust: _mm256_slli_epi64::<{i0}>({0})
; immediates: 0..=63
; class: shift
(define-fun _mm256_slli_epi64 ((a Word) (i Imm)) Word (bvshl a i))

; PSRLW/PSRLD/PSRLQ, vol. 2B
; rust: _mm256_srli_epi64::<{i0}>({0})
; immediates: 0..=63
; class: shift
(define-fun _mm256_srli_epi64 ((a Word) (i Imm)) Word (bvlshr a i))

; PSLLW/PSLLD/PSLLQ, vol. 2B
; rust: _mm256_slli_epi32::<{i0}>({0})
; immediates: 0..=31
; class: shift
(define-fun _mm256_slli_epi32 ((a Word) (i Imm)) Word
  (concat (bvshl (hi a) (lo i)) (bvshl (lo a) (lo i))))

; PSRLW/PSRLD/PSRLQ, vol. 2B
; rust: _mm256_srli_epi32::<{i0}>({0})
; immediates: 0..=31
; class: shift
(define-fun _mm256_srli_epi32 ((a Word) (i Imm)) Word
  (concat (bvlshr (hi a) (lo i)) (bvlshr (lo a) (lo i))))

; PSRAW/PSRAD/PSRAQ, vol. 2B
; rust: _mm256_srai_epi32::<{i0}>({0})
; immediates: 0..=31
; class: shift
(define-fun _mm256_srai_epi32 ((a Word) (i Imm)) Word
  (concat (bvashr (hi a) (lo i)) (bvashr (lo a) (lo i))))

; PCMPGTQ, vol. 2B
; rust: _mm256_cmpgt_epi64({0}, {1})
; class: compare
(define-fun _mm256_cmpgt_epi64 ((a Word) (b Word)) Word (mask (bvslt b a)))

; PCMPGTB/PCMPGTW/PCMPGTD, vol. 2B
; rust: _mm256_cmpgt_epi32({0}, {1})
; class: compare
(define-fun _mm256_cmpgt_epi32 ((a Word) (b Word)) Word
  (concat (mask32 (bvslt (hi b) (hi a))) (mask32 (bvslt (lo b) (lo a)))))

; PMINUD/PMINUQ, vol. 2B
; rust: _mm256_min_epu32({0}, {1})
; class: compare
(define-fun _mm256_min_epu32 ((a Word) (b Word)) Word
  (concat (min32 (hi a) (hi b)) (min32 (lo a) (lo b))))

; BLENDVPD, vol. 2A
; rust: _mm256_castpd_si256(_mm256_blendv_pd(_mm256_castsi256_pd({0}), _mm256_castsi256_pd({1}), _mm256_castsi256_pd({2})))
; template: _mm256_blendv_pd({0}, {1}, {2})
; class: select
(define-fun _mm256_blendv_pd ((a Word) (b Word) (c Word)) Word (ite (= (sign c) #b1) b a))

; VPBLENDD, vol. 2C
; rust: _mm256_blend_epi32::<0xAA>({0}, {1})
; class: select
(define-fun _mm256_blend_epi32 ((a Word) (b Word)) Word (concat (hi b) (lo a)))

; PSHUFD, vol. 2B
; rust: _mm256_shuffle_epi32::<0xF5>({0})
; class: shuffle
(define-fun |_mm256_shuffle_epi32 hi| ((a Word)) Word (concat (hi a) (hi a)))

; PSHUFD, vol. 2B
; rust: _mm256_shuffle_epi32::<0xA0>({0})
; class: shuffle
(define-fun |_mm256_shuffle_epi32 lo| ((a Word)) Word (concat (lo a) (lo a)))

; == avx512
; Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2: Instruction Set Reference.
; Intrinsics: Intel Intrinsics Guide, which names the instruction of each.
; Shuffles are listed only with those immediates that stay within a lane of 64 bits.

; An empty block of assembler, which the Rust Reference describes under Inline assembly: LLVM knows nothing of what it
; gives. Of a product whose high half nobody reads, LLVM would make one of 64 bits, which takes three times as long.
; rust: opaque!({0})
; class: none
(define-fun |opaque 512| ((a Word)) Word a)

; PADDB/PADDW/PADDD/PADDQ, vol. 2B
; rust: _mm512_add_epi64({0}, {1})
; class: add
(define-fun _mm512_add_epi64 ((a Word) (b Word)) Word (bvadd a b))

; PSUBQ, vol. 2B
; rust: _mm512_sub_epi64({0}, {1})
; class: add
(define-fun _mm512_sub_epi64 ((a Word) (b Word)) Word (bvsub a b))

; PADDB/PADDW/PADDD/PADDQ, vol. 2B, with a mask
; rust: _mm512_mask_add_epi64({0}, {1}, {2}, {3})
; class: add
(define-fun _mm512_mask_add_epi64 ((a Word) (b Bit) (c Word) (d Word)) Word
  (ite (= b #b1) (bvadd c d) a))

; PSUBQ, vol. 2B, with a mask
; rust: _mm512_mask_sub_epi64({0}, {1}, {2}, {3})
; class: add
(define-fun _mm512_mask_sub_epi64 ((a Word) (b Bit) (c Word) (d Word)) Word
  (ite (= b #b1) (bvsub c d) a))

; PADDB/PADDW/PADDD/PADDQ, vol. 2B
; rust: _mm512_add_epi32({0}, {1})
; class: add
(define-fun _mm512_add_epi32 ((a Word) (b Word)) Word
  (concat (bvadd (hi a) (hi b)) (bvadd (lo a) (lo b))))

; PSUBB/PSUBW/PSUBD, vol. 2B
; rust: _mm512_sub_epi32({0}, {1})
; class: add
(define-fun _mm512_sub_epi32 ((a Word) (b Word)) Word
  (concat (bvsub (hi a) (hi b)) (bvsub (lo a) (lo b))))

; PMULDQ, vol. 2B
; rust: _mm512_mul_epi32({0}, {1})
; class: multiply
(define-fun _mm512_mul_epi32 ((a Word) (b Word)) Word (signed (lo a) (lo b) (product32 (lo a) (lo b))))

; PMULLD/PMULLQ, vol. 2B
; rust: _mm512_mullo_epi32({0}, {1})
; class: multiply
(define-fun _mm512_mullo_epi32 ((a Word) (b Word)) Word
  (concat (lo (product32 (hi a) (hi b))) (lo (product32 (lo a) (lo b)))))

; PMULUDQ, vol. 2B
; rust: _mm512_mul_epu32({0}, {1})
; class: multiply
(define-fun _mm512_mul_epu32 ((a Word) (b Word)) Word (product32 (lo a) (lo b)))

; PAND, vol. 2B
; rust: _mm512_and_si512({0}, {1})
; class: logic
(define-fun _mm512_and_si512 ((a Word) (b Word)) Word (bvand a b))

; PXOR, vol. 2B
; rust: _mm512_xor_si512({0}, {1})
; class: logic
(define-fun _mm512_xor_si512 ((a Word) (b Word)) Word (bvxor a b))

; PSLLW/PSLLD/PSLLQ, vol. 2B
; rust: _mm512_slli_epi64::<{i0}>({0})
; immediates: 0..=63
; class: shift
(define-fun _mm512_slli_epi64 ((a Word) (i Imm)) Word (bvshl a i))

; PSRLW/PSRLD/PSRLQ, vol. 2B
; rust: _mm512_srli_epi64::<{i0}>({0})
; immediates: 0..=63
; class: shift
(define-fun _mm512_srli_epi64 ((a Word) (i Imm)) Word (bvlshr a i))

; PSRAW/PSRAD/PSRAQ, vol. 2B
; rust: _mm512_srai_epi64::<{i0}>({0})
; immediates: 0..=63
; class: shift
(define-fun _mm512_srai_epi64 ((a Word) (i Imm)) Word (bvashr a i))

; PSLLW/PSLLD/PSLLQ, vol. 2B
; rust: _mm512_slli_epi32::<{i0}>({0})
; immediates: 0..=31
; class: shift
(define-fun _mm512_slli_epi32 ((a Word) (i Imm)) Word
  (concat (bvshl (hi a) (lo i)) (bvshl (lo a) (lo i))))

; PSRLW/PSRLD/PSRLQ, vol. 2B
; rust: _mm512_srli_epi32::<{i0}>({0})
; immediates: 0..=31
; class: shift
(define-fun _mm512_srli_epi32 ((a Word) (i Imm)) Word
  (concat (bvlshr (hi a) (lo i)) (bvlshr (lo a) (lo i))))

; PSRAW/PSRAD/PSRAQ, vol. 2B
; rust: _mm512_srai_epi32::<{i0}>({0})
; immediates: 0..=31
; class: shift
(define-fun _mm512_srai_epi32 ((a Word) (i Imm)) Word
  (concat (bvashr (hi a) (lo i)) (bvashr (lo a) (lo i))))

; VPCMPQ/VPCMPUQ, vol. 2C
; rust: _mm512_cmplt_epu64_mask({0}, {1})
; class: compare
(define-fun _mm512_cmplt_epu64_mask ((a Word) (b Word)) Bit (bit (bvult a b)))

; VPCMPQ/VPCMPUQ, vol. 2C
; rust: _mm512_cmplt_epi64_mask({0}, {1})
; class: compare
(define-fun _mm512_cmplt_epi64_mask ((a Word) (b Word)) Bit (bit (bvslt a b)))

; VPCMPQ/VPCMPUQ, vol. 2C
; rust: _mm512_cmple_epi64_mask({0}, {1})
; class: compare
(define-fun _mm512_cmple_epi64_mask ((a Word) (b Word)) Bit (bit (not (bvslt b a))))

; VPTESTMB/VPTESTMW/VPTESTMD/VPTESTMQ, vol. 2C
; rust: _mm512_test_epi64_mask({0}, {1})
; class: compare
(define-fun _mm512_test_epi64_mask ((a Word) (b Word)) Bit (bit (not (= (bvand a b) (_ bv0 64)))))

; PMINUD/PMINUQ, vol. 2B
; rust: _mm512_min_epu64({0}, {1})
; class: compare
(define-fun _mm512_min_epu64 ((a Word) (b Word)) Word (min a b))

; PMINUD/PMINUQ, vol. 2B
; rust: _mm512_min_epu32({0}, {1})
; class: compare
(define-fun _mm512_min_epu32 ((a Word) (b Word)) Word
  (concat (min32 (hi a) (hi b)) (min32 (lo a) (lo b))))

; VPBLENDMD/VPBLENDMQ, vol. 2C
; rust: _mm512_mask_blend_epi32(0xAAAA, {0}, {1})
; class: select
(define-fun _mm512_mask_blend_epi32 ((a Word) (b Word)) Word (concat (hi b) (lo a)))

; PSHUFD, vol. 2B
; rust: _mm512_shuffle_epi32::<0xF5>({0})
; class: shuffle
(define-fun |_mm512_shuffle_epi32 hi| ((a Word)) Word (concat (hi a) (hi a)))

; PSHUFD, vol. 2B, with a mask
; rust: _mm512_mask_shuffle_epi32::<0xA0>({0}, 0xAAAA, {1})
; class: shuffle
(define-fun _mm512_mask_shuffle_epi32 ((a Word) (b Word)) Word (concat (lo b) (lo a)))

; PSHUFD, vol. 2B, with a mask
; rust: _mm512_mask_shuffle_epi32::<0xF5>({0}, 0x5555, {1})
; class: shuffle
(define-fun |_mm512_mask_shuffle_epi32 hi| ((a Word) (b Word)) Word (concat (hi a) (hi b)))

; == avx512ifma
; Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2: Instruction Set Reference.
; Intrinsics: Intel Intrinsics Guide, which names the instruction of each.
; These rows come beside those of avx512.

; VPMADD52LUQ, vol. 2C
; rust: _mm512_madd52lo_epu64({0}, {1}, {2})
; class: multiply
(define-fun _mm512_madd52lo_epu64 ((a Word) (b Word) (c Word)) Word
  (bvadd a ((_ zero_extend 12) ((_ extract 51 0) (product52 (low52 b) (low52 c))))))

; VPMADD52HUQ, vol. 2C
; rust: _mm512_madd52hi_epu64({0}, {1}, {2})
; class: multiply
(define-fun _mm512_madd52hi_epu64 ((a Word) (b Word) (c Word)) Word
  (bvadd a ((_ zero_extend 12) ((_ extract 103 52) (product52 (low52 b) (low52 c))))))

; == avx512dq
; Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2: Instruction Set Reference.
; Intrinsics: Intel Intrinsics Guide, which names the instruction of each.
; These rows come beside those of avx512 and avx512ifma.

; PMULLD/PMULLQ, vol. 2B
; rust: _mm512_mullo_epi64({0}, {1})
; class: multiply
(define-fun _mm512_mullo_epi64 ((a Word) (b Word)) Word ((_ extract 63 0) (product64 a b)))
