import { HttpError } from '../http/http-error.ts'
import { readJsonObject } from '../http/read-body.ts'
import type { Operations } from '../oauth/bearer-api.ts'
import type { TasksStore } from './tasks-store.ts'

/** The task list of a Notes account. Its connector declares the scope for writing as optional. */
export const tasksOperations: Operations<TasksStore> = {
  'GET /tasks/api/tasks': {
    kind: 'tasks.list',
    scope: 'tasks:read',
    run: (tasks, { account }) => ({ status: 200, body: { tasks: tasks.list(account) } }),
  },
  'POST /tasks/api/tasks': {
    kind: 'tasks.add',
    scope: 'tasks:write',
    run: async (tasks, { account }, req) => {
      const { title } = await readJsonObject(req)
      if (typeof title !== 'string' || title.trim() === '' || title.length > 200) {
        throw new HttpError(400, 'invalid_request', 'title must be text of 1 to 200 characters.')
      }
      return { status: 201, body: tasks.add(account, title) }
    },
  },
}
