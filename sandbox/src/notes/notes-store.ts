import { randomBytes } from 'node:crypto'
import { type AccountId, perAccount } from '../accounts.ts'
import { firstNotes } from './first-notes.ts'

export type Note = { id: string; title: string; text: string; updated_at: string }

/** Latest first. */
export type NotesByAccount = Record<AccountId, Note[]>

export type NotesStore = {
  list(account: AccountId, query: string, limit: number): Note[]
  create(account: AccountId, note: { title: string; text: string }): Note
  snapshot(): NotesByAccount
}

export function createNotesStore(notes: NotesByAccount, onChange: () => void): NotesStore {
  return {
    list(account, query, limit) {
      const wanted = query.toLowerCase()
      return notes[account]
        .filter(({ title, text }) => `${title}\n${text}`.toLowerCase().includes(wanted))
        .slice(0, limit)
    },
    create(account, { title, text }) {
      const note = { id: noteId(), title, text, updated_at: new Date().toISOString() }
      notes[account].unshift(note)
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
