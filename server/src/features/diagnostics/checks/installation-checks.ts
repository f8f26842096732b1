import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DASHBOARD_FOLDER, DOCUMENTATION_COMPLETE, DOCUMENTATION_FOLDER } from '../../../edge/site-folders.ts'
import { type Check, ok, problem } from './finding.ts'

const BUILD = 'Run `npm ci && npm run build` in the folder of the source code, and restart the service.'

const siteCheck = (name: string, file: string): Check => ({
  name,
  run: async () => (existsSync(file) ? ok('built') : problem(`Not built: ${file} does not exist.`, BUILD)),
})

export const dashboardCheck = siteCheck('dashboard', join(DASHBOARD_FOLDER, 'index.html'))
export const documentationCheck = siteCheck(
  'documentation',
  join(DOCUMENTATION_FOLDER, DOCUMENTATION_COMPLETE),
)

/** The service loads these at the first sign-in, so it starts without them. */
const loadSignIn = () =>
  Promise.all([import('better-auth'), import('better-auth/plugins'), import('@better-auth/passkey')])

export const signInCheck: Check = {
  name: 'sign-in library',
  run: () =>
    loadSignIn().then(
      () => ok('installed'),
      (error: Error) =>
        problem(
          `It cannot be loaded, so nobody can sign in to the dashboard: ${error.message.split('\n', 1)[0]}`,
          'Install the packages again: `npm ci --omit=dev` in the folder of the source code.',
        ),
    ),
}
