// Links one object of `clang -target bpf` into a shared object that Solana's loader accepts
// (SBPFv0). Upstream lld cannot link these relocations.

interface Section {
  readonly name: string;
  readonly type: number;
  readonly flags: number;
  readonly bytes: Buffer;
  readonly link: number;
  readonly info: number;
  readonly align: number;
}

interface ObjectSymbol {
  readonly name: string;
  readonly kind: number;
  readonly section: number;
  readonly value: number;
}

const HEADER_BYTES = 64;
const SECTION_BYTES = 64;
const SEGMENT_BYTES = 56;
const SYMBOL_BYTES = 24;
const RELOCATION_BYTES = 16;
const DYNAMIC_BYTES = 16;
/** After the header and at most four segments. */
const TEXT_OFFSET = 0x120;
/** Where the loader puts the file's read-only part. */
const PROGRAM_ADDRESS = 0x1_0000_0000n;

const [PROGBITS, SYMTAB, STRTAB, DYNAMIC, REL, DYNSYM] = [1, 2, 3, 6, 9, 11];
const [WRITE, ALLOC, EXECUTE] = [1, 2, 4];
const [RELOCATION_64, RELOCATION_CALL] = [1, 10];
const SECTION_SYMBOL = 3;
const MACHINE_BPF = 247;

function alignUp(value: number, to: number): number {
  return Math.ceil(value / to) * to;
}

function readText(bytes: Buffer, at: number): string {
  return bytes.toString('latin1', at, bytes.indexOf(0, at));
}

function readSections(file: Buffer): Section[] {
  const tableAt = Number(file.readBigUInt64LE(0x28));
  const count = file.readUInt16LE(0x3c);
  const u64 = (at: number) => Number(file.readBigUInt64LE(at));
  const raw = Array.from({ length: count }, (_, index) => {
    const at = tableAt + index * SECTION_BYTES;
    const [type, offset, size] = [file.readUInt32LE(at + 4), u64(at + 24), u64(at + 32)];
    return {
      ...{ nameAt: file.readUInt32LE(at), type, flags: u64(at + 8) },
      bytes: file.subarray(offset, offset + size),
      ...{
        link: file.readUInt32LE(at + 40),
        info: file.readUInt32LE(at + 44),
        align: u64(at + 48),
      },
    };
  });
  const names = raw[file.readUInt16LE(0x3e)]?.bytes ?? Buffer.alloc(1);
  return raw.map(({ nameAt, ...section }) => ({ ...section, name: readText(names, nameAt) }));
}

function readSymbols(sections: readonly Section[]): ObjectSymbol[] {
  const table = sections.find(({ type }) => type === SYMTAB);
  if (table === undefined) throw new Error('the object has no symbols');
  const names = sections[table.link]?.bytes ?? Buffer.alloc(1);
  return Array.from({ length: table.bytes.length / SYMBOL_BYTES }, (_, index) => {
    const at = index * SYMBOL_BYTES;
    return {
      name: readText(names, table.bytes.readUInt32LE(at)),
      kind: table.bytes.readUInt8(at + 4) & 15,
      section: table.bytes.readUInt16LE(at + 6),
      value: Number(table.bytes.readBigUInt64LE(at + 8)),
    };
  });
}

interface ReadOnlyData {
  readonly bytes: Buffer;
  /** By the index of a section, where it is in the file. */
  readonly places: ReadonlyMap<number, number>;
}

function gatherData(sections: readonly Section[], textAt: number, from: number): ReadOnlyData {
  const places = new Map<number, number>();
  const parts: Buffer[] = [];
  let length = 0;
  for (const [index, { type, flags, bytes, align, name }] of sections.entries()) {
    if ((flags & ALLOC) === 0 || bytes.length === 0 || index === textAt) continue;
    if ((flags & WRITE) !== 0) throw new Error(`the section ${name} is writable`);
    if (type !== PROGBITS) continue;
    const start = alignUp(length, Math.max(1, align));
    parts.push(Buffer.alloc(start - length), bytes);
    places.set(index, from + start);
    length = start + bytes.length;
  }
  for (const { type, info, bytes, name } of sections) {
    const isOfData = type === REL && places.has(info) && bytes.length > 0;
    if (isOfData) throw new Error(`${name}: read-only data must hold no addresses`);
  }
  return { bytes: Buffer.concat(parts), places };
}

/** A call of the runtime, to be resolved by its name when the program is loaded. */
interface Syscall {
  readonly offset: number;
  readonly name: string;
}

/** Writes addresses into the instructions; returns the calls that stay open. */
function relocate(
  text: Buffer,
  object: { readonly sections: readonly Section[]; readonly textAt: number },
  data: ReadOnlyData,
): Syscall[] {
  const { sections, textAt } = object;
  const symbols = readSymbols(sections);
  const syscalls: Syscall[] = [];
  const applyCall = (offset: number, symbol: ObjectSymbol) => {
    const registers = text.readUInt8(offset + 1) & 0x0f;
    if (symbol.section === 0) {
      text.writeInt32LE(-1, offset + 4);
      text.writeUInt8(registers, offset + 1);
      syscalls.push({ offset: TEXT_OFFSET + offset, name: symbol.name });
      return;
    }
    if (symbol.section !== textAt) throw new Error(`${symbol.name} is not code`);
    const isWhole = symbol.kind === SECTION_SYMBOL;
    const target = isWhole ? (text.readInt32LE(offset + 4) + 1) * 8 : symbol.value;
    text.writeInt32LE(target / 8 - (offset / 8 + 1), offset + 4);
    text.writeUInt8(registers | 0x10, offset + 1);
  };
  const applyAddress = (offset: number, { section, value, name }: ObjectSymbol) => {
    const base = section === textAt ? TEXT_OFFSET : data.places.get(section);
    if (base === undefined) throw new Error(`${name} has no place`);
    const added =
      BigInt(text.readUInt32LE(offset + 4)) + (BigInt(text.readUInt32LE(offset + 12)) << 32n);
    const address = PROGRAM_ADDRESS + BigInt(base + value) + added;
    text.writeUInt32LE(Number(address & 0xffffffffn), offset + 4);
    text.writeUInt32LE(Number(address >> 32n), offset + 12);
  };
  for (const { type, info, bytes } of sections) {
    if (type !== REL || info !== textAt) continue;
    for (let at = 0; at < bytes.length; at += RELOCATION_BYTES) {
      const offset = Number(bytes.readBigUInt64LE(at));
      const [kind, symbol] = [bytes.readUInt32LE(at + 8), symbols[bytes.readUInt32LE(at + 12)]];
      if (symbol === undefined) throw new Error('a relocation names no symbol');
      if (kind === RELOCATION_CALL) applyCall(offset, symbol);
      else if (kind === RELOCATION_64) applyAddress(offset, symbol);
      else throw new Error(`relocations of type ${kind} are not known`);
    }
  }
  return syscalls;
}

function writeWords(words: readonly number[]): Buffer {
  const bytes = Buffer.alloc(words.length * 8);
  for (const [index, word] of words.entries()) bytes.writeBigUInt64LE(BigInt(word), index * 8);
  return bytes;
}

interface DynamicTables {
  readonly symbols: Buffer;
  readonly names: Buffer;
  readonly relocations: Buffer;
}

function buildDynamicTables(syscalls: readonly Syscall[]): DynamicTables {
  const unique = [...new Set(syscalls.map(({ name }) => name))];
  const symbols = Buffer.alloc(SYMBOL_BYTES * (unique.length + 1));
  let names = '\0';
  unique.forEach((name, index) => {
    const at = SYMBOL_BYTES * (index + 1);
    symbols.writeUInt32LE(names.length, at);
    // A global symbol without a type.
    symbols.writeUInt8(0x10, at + 4);
    names += `${name}\0`;
  });
  const relocations = Buffer.alloc(RELOCATION_BYTES * syscalls.length);
  syscalls.forEach(({ offset, name }, index) => {
    relocations.writeBigUInt64LE(BigInt(offset), index * RELOCATION_BYTES);
    relocations.writeUInt32LE(RELOCATION_CALL, index * RELOCATION_BYTES + 8);
    relocations.writeUInt32LE(unique.indexOf(name) + 1, index * RELOCATION_BYTES + 12);
  });
  return { symbols, names: Buffer.from(names, 'latin1'), relocations };
}

interface OutputSection {
  readonly name: string;
  readonly type: number;
  readonly flags: number;
  readonly bytes: Buffer;
  readonly align: number;
  readonly entryBytes?: number;
  readonly link?: string;
  readonly info?: number;
  /** Not loaded: without an address. */
  readonly isFileOnly?: boolean;
}

interface PlacedSection extends OutputSection {
  readonly offset: number;
}

function placeSections(sections: readonly OutputSection[]): PlacedSection[] {
  let end = TEXT_OFFSET;
  return sections.map((section) => {
    const offset = alignUp(end, section.align);
    end = offset + section.bytes.length;
    return { ...section, offset };
  });
}

const DYNAMIC_TAGS = { symbols: 6, symbolBytes: 11, names: 5, namesBytes: 10 } as const;
const RELOCATION_TAGS = { table: 17, bytes: 18, entryBytes: 19 } as const;

function layOut(text: Buffer, data: Buffer, tables: DynamicTables): PlacedSection[] {
  const loaded = (name: string, type: number, bytes: Buffer, align = 8): OutputSection => ({
    ...{ name, type, flags: ALLOC, bytes, align },
  });
  const names = ['.text', '.rodata', '.dynamic', '.dynsym', '.dynstr', '.rel.dyn', '.shstrtab'];
  const sections = placeSections([
    { ...loaded('.text', PROGBITS, text), flags: ALLOC | EXECUTE },
    loaded('.rodata', PROGBITS, data, 16),
    {
      ...loaded('.dynamic', DYNAMIC, Buffer.alloc(8 * DYNAMIC_BYTES)),
      ...{ flags: ALLOC | WRITE, link: '.dynstr', entryBytes: DYNAMIC_BYTES },
    },
    {
      ...loaded('.dynsym', DYNSYM, tables.symbols),
      ...{ link: '.dynstr', info: 1, entryBytes: SYMBOL_BYTES },
    },
    loaded('.dynstr', STRTAB, tables.names, 1),
    {
      ...loaded('.rel.dyn', REL, tables.relocations),
      ...{ link: '.dynsym', entryBytes: RELOCATION_BYTES },
    },
    {
      ...{ name: '.shstrtab', type: STRTAB, flags: 0, align: 1, isFileOnly: true },
      bytes: Buffer.from(`\0${names.join('\0')}\0`, 'latin1'),
    },
  ]);
  const offsetOf = (name: string) => sections.find((one) => one.name === name)?.offset ?? 0;
  const words = [
    ...[DYNAMIC_TAGS.symbols, offsetOf('.dynsym'), DYNAMIC_TAGS.symbolBytes, SYMBOL_BYTES],
    ...[DYNAMIC_TAGS.names, offsetOf('.dynstr'), DYNAMIC_TAGS.namesBytes, tables.names.length],
    ...[RELOCATION_TAGS.table, offsetOf('.rel.dyn')],
    ...[RELOCATION_TAGS.bytes, tables.relocations.length],
    ...[RELOCATION_TAGS.entryBytes, RELOCATION_BYTES, 0, 0],
  ];
  sections.find(({ name }) => name === '.dynamic')?.bytes.set(writeWords(words));
  return sections;
}

function buildSectionTable(sections: readonly PlacedSection[]): Buffer {
  const table = Buffer.alloc(SECTION_BYTES * (sections.length + 1));
  const names = sections.at(-1)?.bytes.toString('latin1') ?? '';
  sections.forEach((section, index) => {
    const at = SECTION_BYTES * (index + 1);
    const { name, type, flags, offset, bytes, link, info = 0, align, entryBytes = 0 } = section;
    table.writeUInt32LE(names.indexOf(`\0${name}\0`) + 1, at);
    table.writeUInt32LE(type, at + 4);
    table.set(writeWords([flags, section.isFileOnly ? 0 : offset, offset, bytes.length]), at + 8);
    const linked = sections.findIndex((one) => one.name === link) + 1;
    table.writeUInt32LE(linked, at + 40);
    table.writeUInt32LE(info, at + 44);
    table.set(writeWords([align, entryBytes]), at + 48);
  });
  return table;
}

function buildSegments(sections: readonly PlacedSection[]): Buffer {
  const [text, data, dynamic, names] = ['.text', '.rodata', '.dynamic', '.shstrtab'].map((name) =>
    sections.find((one) => one.name === name),
  );
  if (!text || !data || !dynamic || !names) throw new Error('a section is missing');
  const segment = (kind: number, flags: number, offset: number, length: number) => {
    const head = Buffer.alloc(8);
    head.writeUInt32LE(kind);
    head.writeUInt32LE(flags, 4);
    return Buffer.concat([head, writeWords([offset, offset, offset, length, length, 0x1000])]);
  };
  const segments = [
    segment(1, 5, text.offset, text.bytes.length),
    segment(1, 4, data.offset, data.bytes.length),
    segment(1, 4, dynamic.offset, names.offset - dynamic.offset),
    segment(2, 6, dynamic.offset, dynamic.bytes.length),
  ];
  return Buffer.concat(segments);
}

function buildHeader(file: {
  readonly entry: number;
  readonly tableAt: number;
  readonly sectionCount: number;
  readonly segmentCount: number;
}): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  // 64 bits, little-endian, a shared object.
  header.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  header.writeUInt16LE(3, 16);
  header.writeUInt16LE(MACHINE_BPF, 18);
  header.writeUInt32LE(1, 20);
  header.set(writeWords([file.entry, HEADER_BYTES, file.tableAt]), 24);
  const counts = [HEADER_BYTES, SEGMENT_BYTES, file.segmentCount, SECTION_BYTES];
  const words = [...counts, file.sectionCount, file.sectionCount - 1];
  for (const [index, word] of words.entries()) header.writeUInt16LE(word, 52 + 2 * index);
  return header;
}

/** Throws if the object has writable data or a relocation that is not known. */
export function linkProgram(file: Buffer): Buffer {
  const sections = readSections(file);
  const textAt = sections.findIndex(({ name }) => name === '.text');
  const text = Buffer.from(sections[textAt]?.bytes ?? []);
  const entry = readSymbols(sections).find(({ name }) => name === 'entrypoint');
  if (entry === undefined || text.length === 0) throw new Error('the object has no entrypoint');
  const data = gatherData(sections, textAt, alignUp(TEXT_OFFSET + text.length, 16));
  const syscalls = relocate(text, { sections, textAt }, data);
  const placed = layOut(text, data.bytes, buildDynamicTables(syscalls));
  const last = placed.at(-1);
  const tableAt = alignUp((last?.offset ?? 0) + (last?.bytes.length ?? 0), 8);
  const table = buildSectionTable(placed);
  const segments = buildSegments(placed);
  const output = Buffer.alloc(tableAt + table.length);
  const segmentCount = segments.length / SEGMENT_BYTES;
  const shape = { tableAt, sectionCount: placed.length + 1, segmentCount };
  output.set(buildHeader({ ...shape, entry: TEXT_OFFSET + entry.value }));
  output.set(segments, HEADER_BYTES);
  for (const { bytes, offset } of placed) output.set(bytes, offset);
  output.set(table, tableAt);
  return output;
}
