import type { DataKey } from '../vault/sealing.ts'
import type { WriteBytes } from './archive-file.ts'
import {
  type ArchiveHeader,
  type ArchiveKind,
  type ChunkKind,
  END,
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
}

export const startArchive = async <Header extends ArchiveHeader>(
  kind: ArchiveKind,
  { header, key, tables, write }: WriterOptions<Header>,
): Promise<ArchiveWriter> => {
  const { prefix, archiveId } = encodeHeader(kind, { ...header, key_id: key.id.toString('hex') })
  await write(prefix)
  const totals: RowTotals = new Map(tables.map(name => [name, NO_ROWS]))
  let number = 0
  const writeChunk = async (chunkKind: ChunkKind, text: string): Promise<void> =>
    write(await sealChunk({ kind, id: archiveId, key }, { number: number++, kind: chunkKind, text }))
  return {
    archiveId,
    append: async chunk => {
      await writeChunk(ROWS, writeRows(chunk))
      addToTotals(totals, chunk.table, chunk.lines)
    },
    end: async () => {
      await writeChunk(END, JSON.stringify({ tables: describeTotals(totals) }))
      return totals.values().reduce((sum, { rows }) => sum + rows, 0)
    },
  }
}

const describeTotals = (totals: RowTotals): TableTotals =>
  Object.fromEntries(
    [...totals].map(([table, { rows, checksum }]) => [table, { rows, checksum: writeChecksum(checksum) }]),
  )
