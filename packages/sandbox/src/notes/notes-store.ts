import { randomBytes } from 'node:crypto'
import { type AccountId, perAccount } from '../accounts.ts'
import { firstNotes } from './first-notes.ts'

export type Note = { id: string; title: string; text: string; updated_at: string }

/** Latest first. */
export type NotesByAccount = Record<AccountId, Note[]>

export type NotesStore = {
  list(account: AccountId, query: string, limit: number): Note[]
  /** A request with the idempotency key of an earlier one returns the note of that one. */
  create(account: AccountId, note: { title: string; text: string }, idempotencyKey: string | null): Note
  snapshot(): NotesByAccount
}

/** Only the latest keys are kept, because benchmarks make many calls. */
const MAX_KEYS = 1000

export function createNotesStore(notes: NotesByAccount, onChange: () => void): NotesStore {
  const created = new Map<string, Note>()
  const remember = (key: string, note: Note): void => {
    created.set(key, note)
    const [oldest] = created.keys()
    if (created.size > MAX_KEYS && oldest !== undefined) created.delete(oldest)
  }
  return {
    list(account, query, limit) {
      const wanted = query.toLowerCase()
      return notes[account]
        .filter(({ title, text }) => `${title}\n${text}`.toLowerCase().includes(wanted))
        .slice(0, limit)
    },
    create(account, { title, text }, idempotencyKey) {
      const key = idempotencyKey === null ? null : `${account}:${idempotencyKey}`
      const earlier = key === null ? undefined : created.get(key)
      if (earlier) return earlier
      const note = { id: noteId(), title, text, updated_at: new Date().toISOString() }
      notes[account].unshift(note)
      if (key !== null) remember(key, note)
      onChange()
      return note
    },
    snapshot: () => notes,
  }
}

const DAY_MS = 24 * 60 * 60 * 1000

export function seedNotes(now: Date): NotesByAccount {
  const seeded = (account: AccountId): Note[] =>
    firstNotes[account].map(({ title, text, daysAgo }) => ({
      id: noteId(),
      title,
      text,
      updated_at: new Date(now.getTime() - daysAgo * DAY_MS).toISOString(),
    }))
  return perAccount(seeded)
}

function noteId(): string {
  return `note_${randomBytes(8).toString('hex')}`
}
