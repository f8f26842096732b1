import { createHash } from 'node:crypto'
import { isSignatureOf, parsePublicKey } from '../vault/installation-key.ts'
import type { DataKey } from '../vault/sealing.ts'
import {
  type ArchiveHeader,
  type ArchiveKind,
  archiveIdOf,
  type ChunkArchive,
  END,
  type EndChunk,
  FORMAT_VERSION,
  FRAME_HEADER_LENGTH,
  MAX_FRAME_LENGTH,
  magicOf,
  openChunk,
  ROWS,
  type RowChunk,
  readRows,
  type TableTotals,
} from './archive-format.ts'
import { ArchiveRefusal } from './archive-refusal.ts'
import { addToTotals, type RowTotals, readChecksum } from './row-totals.ts'

/** Reads bytes of the archive from the start, in order. Each call of `open` starts again. */
export type ArchiveSource = { open(): AsyncDisposable & ByteReader }
export type ByteReader = {
  /** Returns fewer bytes only at the end. */
  read(length: number): Promise<Buffer>
}

export type ArchiveEnd = {
  tables: TableTotals
  /** The installation whose signature of the archive is valid. Null if the archive is not signed. */
  signedBy: string | null
}

export type OpenArchive<Header extends ArchiveHeader = ArchiveHeader> = {
  header: Header
  archiveId: Buffer
  /** The row chunks in order. Throws if the archive does not end with its end chunk. */
  chunks(): AsyncGenerator<RowChunk & { number: number }, ArchiveEnd>
}

const TRUNCATED = 'The file is truncated. Copy it again from its source.'

export const openArchive = async <Header extends ArchiveHeader>(
  source: ArchiveSource,
  kind: ArchiveKind,
  keyOf: (header: Header) => DataKey,
): Promise<OpenArchive<Header>> => {
  await using reader = source.open()
  const { header, bytes } = await readHeader(reader, kind)
  const key = keyOf(header as Header)
  if (header.key_id !== key.id.toString('hex'))
    throw new ArchiveRefusal(
      `The archive was encrypted with another key. Its key has the ID ${header.key_id}, and the key file has ${key.id.toString('hex')}.`,
    )
  const archiveId = archiveIdOf(bytes)
  return {
    header: header as Header,
    archiveId,
    chunks: () => readChunks(source, { kind, id: archiveId, key }),
  }
}

const readHeader = async (
  reader: ByteReader,
  kind: ArchiveKind,
): Promise<{ header: ArchiveHeader; bytes: Buffer }> => {
  const magic = magicOf(kind)
  if (!(await reader.read(magic.length)).equals(magic))
    throw new ArchiveRefusal(`The file is not ${kind.title}.`)
  const length = await readExactly(reader, 4)
  const bytes = await readExactly(reader, Math.min(length.readUInt32BE(), MAX_FRAME_LENGTH))
  const header = parseHeader(bytes)
  if (header.format !== FORMAT_VERSION)
    throw new ArchiveRefusal(
      `The archive has format ${header.format}, and this version of Carabiner reads format ${FORMAT_VERSION}.`,
    )
  return { header, bytes }
}

const parseHeader = (bytes: Buffer): ArchiveHeader => {
  try {
    return JSON.parse(bytes.toString('utf8')) as ArchiveHeader
  } catch (cause) {
    throw new ArchiveRefusal('The archive is damaged: its header is not readable.', { cause })
  }
}

const readExactly = async (reader: ByteReader, length: number): Promise<Buffer> => {
  const bytes = await reader.read(length)
  if (bytes.length < length) throw new ArchiveRefusal(TRUNCATED)
  return bytes
}

async function* readChunks(
  source: ArchiveSource,
  archive: ChunkArchive,
): AsyncGenerator<RowChunk & { number: number }, ArchiveEnd> {
  await using opened = source.open()
  const digest = createHash('sha256')
  const reader: ByteReader = {
    read: async length => {
      const bytes = await opened.read(length)
      digest.update(bytes)
      return bytes
    },
  }
  await readHeader(reader, archive.kind)
  for (let number = 0; ; number++) {
    const before = digest.copy()
    const frame = await readExactly(reader, FRAME_HEADER_LENGTH)
    const kind = frame[4]
    const length = frame.readUInt32BE()
    if ((kind !== ROWS && kind !== END) || length > MAX_FRAME_LENGTH)
      throw new ArchiveRefusal(`The archive is damaged: chunk ${number} has an unknown form.`)
    const sealed = await readExactly(reader, length)
    const text = await openChunk(archive, { number, kind, sealed })
    if (kind === ROWS) yield { ...readRows(text), number }
    else {
      if ((await reader.read(1)).length > 0) throw new ArchiveRefusal('The archive has data after its end.')
      const { tables, source: signed } = JSON.parse(text) as EndChunk
      return { tables, signedBy: signed ? requireSignature(signed, before.digest()) : null }
    }
  }
}

const requireSignature = (signed: NonNullable<EndChunk['source']>, digest: Buffer): string => {
  const publicKey = parsePublicKey(signed.public_key)
  if (!publicKey || !isSignatureOf(publicKey, digest, Buffer.from(signed.signature, 'base64url')))
    throw new ArchiveRefusal('The archive is damaged: its signature is not valid.')
  return publicKey.text
}

export type VerifiedArchive = { totals: RowTotals; signedBy: string | null }

/** Reads the whole archive, and checks its signature and that its rows are those that its end lists. */
export const verifyArchive = async (
  archive: OpenArchive,
  onChunk: (chunk: RowChunk) => Promise<void> | void = () => undefined,
): Promise<VerifiedArchive> => {
  const found: RowTotals = new Map()
  await using chunks = archive.chunks()
  for (;;) {
    const { done, value } = await chunks.next()
    if (done) return { totals: checkTotals(found, value.tables), signedBy: value.signedBy }
    await onChunk(value)
    addToTotals(found, value.table, value.lines)
  }
}

const checkTotals = (found: RowTotals, listed: TableTotals): RowTotals => {
  for (const [table, { rows, checksum }] of Object.entries(listed)) {
    const total = found.get(table)
    const isEqual = rows === (total?.rows ?? 0) && readChecksum(checksum) === (total?.checksum ?? 0n)
    if (!isEqual) throw new ArchiveRefusal(`The archive is damaged: rows of ${table} are missing or changed.`)
  }
  for (const table of found.keys())
    if (!(table in listed)) throw new ArchiveRefusal(`The archive is damaged: it does not list ${table}.`)
  return found
}
