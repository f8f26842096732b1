import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../../..')

/** Written by `npm run build --workspace dashboard`. */
export const DASHBOARD_FOLDER = join(ROOT, 'dashboard/dist')

/** Written by `npm run build --workspace docs`. */
export const DOCUMENTATION_FOLDER = join(ROOT, 'docs/.vitepress/dist')

/** The build of the documentation writes this file last, because the service may run while it is being built. */
export const DOCUMENTATION_COMPLETE = '.complete'
