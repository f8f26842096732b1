import { randomBytes } from 'node:crypto'
import { type AccountId, perAccount } from '../accounts.ts'

export type Task = { id: string; title: string; done: boolean }

/** Latest first. */
export type TasksByAccount = Record<AccountId, Task[]>

export type TasksStore = {
  list(account: AccountId): Task[]
  add(account: AccountId, title: string): Task
  snapshot(): TasksByAccount
}

const firstTasks: Readonly<Record<AccountId, readonly Omit<Task, 'id'>[]>> = {
  ana: [
    { title: 'Book the tram museum', done: false },
    { title: 'Call the carpenter', done: true },
  ],
  ben: [
    { title: 'Feed the sourdough', done: false },
    { title: 'Return the library books', done: false },
  ],
}

export function createTasksStore(tasks: TasksByAccount, onChange: () => void): TasksStore {
  return {
    list: account => tasks[account],
    add(account, title) {
      const task = { id: taskId(), title, done: false }
      tasks[account].unshift(task)
      onChange()
      return task
    },
    snapshot: () => tasks,
  }
}

export function seedTasks(): TasksByAccount {
  return perAccount(account => firstTasks[account].map(task => ({ id: taskId(), ...task })))
}

function taskId(): string {
  return `task_${randomBytes(8).toString('hex')}`
}
