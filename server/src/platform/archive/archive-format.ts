import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { type DataKey, SealBroken, type SealContext, seal, unseal } from '../vault/sealing.ts'
import { ArchiveRefusal } from './archive-refusal.ts'

/** What a file contains. The format, which is the same for all kinds, is described in docs/operate/organizations.md. */
export type ArchiveKind = {
  /** The first line of the file is `carabiner-` and this name. It is also authenticated with each chunk. */
  name: 'organization-archive' | 'backup'
  /** For error messages: `The file is not …`. */
  title: string
}

export const FORMAT_VERSION = 1

export type ArchiveHeader = {
  format: number
  created_at: string
  /** The newest migration of the source, and a hash of all of them. */
  schema: { version: number; name: string; checksum: string }
  key_id: string
}

/** The first line of the file. */
export const magicOf = ({ name }: ArchiveKind): Buffer => Buffer.from(`carabiner-${name}\n`)

/** Rows of one table. A line is a JSON array with the text of each column. */
export type RowChunk = { table: string; columns: string[]; lines: string[] }
export type TableTotals = Record<string, { rows: number; checksum: string }>
/** `source`: the public key of the installation that has written the archive, and its signature of everything before the end. */
export type EndChunk = { tables: TableTotals; source?: { public_key: string; signature: string } }

export const ROWS = 0
export const END = 1
export type ChunkKind = typeof ROWS | typeof END
export const FRAME_HEADER_LENGTH = 5
/** Longer frames are not written, and not read into memory. */
export const MAX_FRAME_LENGTH = 512 * 1024 * 1024

/** Hash of the header: identifies an archive, and binds its chunks to it. */
export const archiveIdOf = (header: Buffer): Buffer => hash('sha256', header, 'buffer')

/** The archive that a chunk belongs to. */
export type ChunkArchive = { kind: ArchiveKind; id: Buffer; key: DataKey }

const contextOf = (archive: ChunkArchive, number: number, kind: ChunkKind): SealContext => [
  archive.kind.name,
  archive.id.toString('hex'),
  String(number),
  kind === END ? 'end' : 'rows',
]

export const sealChunk = async (
  archive: ChunkArchive,
  { number, kind, text }: { number: number; kind: ChunkKind; text: string },
): Promise<Buffer> => {
  const sealed = seal(archive.key, await promisify(gzip)(text), contextOf(archive, number, kind))
  const frame = Buffer.alloc(FRAME_HEADER_LENGTH)
  frame.writeUInt32BE(sealed.length)
  frame[4] = kind
  return Buffer.concat([frame, sealed])
}

export const openChunk = async (
  archive: ChunkArchive,
  { number, kind, sealed }: { number: number; kind: ChunkKind; sealed: Buffer },
): Promise<string> => {
  try {
    const compressed = unseal(archive.key, sealed, contextOf(archive, number, kind))
    return (await promisify(gunzip)(compressed, { maxOutputLength: MAX_FRAME_LENGTH })).toString('utf8')
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error
    throw new ArchiveRefusal(
      `The archive is damaged, or the key file belongs to another archive: chunk ${number} cannot be decrypted.`,
      { cause: error },
    )
  }
}

/** The prefix of the file: the first line, the length of the header, and the header. */
export const encodeHeader = (
  kind: ArchiveKind,
  header: ArchiveHeader,
): { prefix: Buffer; archiveId: Buffer } => {
  const bytes = Buffer.from(JSON.stringify(header))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return { prefix: Buffer.concat([magicOf(kind), length, bytes]), archiveId: archiveIdOf(bytes) }
}

export const writeRows = ({ table, columns, lines }: RowChunk): string =>
  [JSON.stringify({ table, columns }), ...lines].join('\n')

export const readRows = (text: string): RowChunk => {
  const [first = '{}', ...lines] = text.split('\n')
  const { table, columns } = JSON.parse(first) as Omit<RowChunk, 'lines'>
  return { table, columns, lines }
}
