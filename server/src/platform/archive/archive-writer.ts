import { createHash } from 'node:crypto'
import type { InstallationKey } from '../vault/installation-key.ts'
import type { DataKey } from '../vault/sealing.ts'
import type { WriteBytes } from './archive-file.ts'
import {
  type ArchiveHeader,
  type ArchiveKind,
  type ChunkKind,
  END,
  type EndChunk,
  encodeHeader,
  ROWS,
  type RowChunk,
  sealChunk,
  type TableTotals,
  writeRows,
} from './archive-format.ts'
import { addToTotals, NO_ROWS, type RowTotals, writeChecksum } from './row-totals.ts'

export type ArchiveWriter = {
  archiveId: Buffer
  append(chunk: RowChunk): Promise<void>
  /** Writes the end, without which the archive is not valid. Returns the number of rows. */
  end(): Promise<number>
}

type WriterOptions<Header extends ArchiveHeader> = {
  header: Omit<Header, 'key_id'>
  key: DataKey
  /** All tables, so that the end also lists those without rows. */
  tables: readonly string[]
  /** Receives the bytes of the archive in order. */
  write: WriteBytes
  /** Signs the archive. Default: it is not signed, because only the holder of its key can have written it. */
  signer?: InstallationKey
}

export const startArchive = async <Header extends ArchiveHeader>(
  kind: ArchiveKind,
  { header, key, tables, write, signer }: WriterOptions<Header>,
): Promise<ArchiveWriter> => {
  const { prefix, archiveId } = encodeHeader(kind, { ...header, key_id: key.id.toString('hex') })
  const digest = createHash('sha256')
  const append = async (bytes: Buffer): Promise<void> => {
    digest.update(bytes)
    await write(bytes)
  }
  await append(prefix)
  const totals: RowTotals = new Map(tables.map(name => [name, NO_ROWS]))
  let number = 0
  const writeChunk = async (chunkKind: ChunkKind, text: string): Promise<void> =>
    append(await sealChunk({ kind, id: archiveId, key }, { number: number++, kind: chunkKind, text }))
  return {
    archiveId,
    append: async chunk => {
      await writeChunk(ROWS, writeRows(chunk))
      addToTotals(totals, chunk.table, chunk.lines)
    },
    end: async () => {
      const end: EndChunk = {
        tables: describeTotals(totals),
        ...(signer && {
          source: {
            public_key: signer.publicKey.text,
            signature: signer.sign(digest.copy().digest()).toString('base64url'),
          },
        }),
      }
      await writeChunk(END, JSON.stringify(end))
      return totals.values().reduce((sum, { rows }) => sum + rows, 0)
    },
  }
}

const describeTotals = (totals: RowTotals): TableTotals =>
  Object.fromEntries(
    [...totals].map(([table, { rows, checksum }]) => [table, { rows, checksum: writeChecksum(checksum) }]),
  )
