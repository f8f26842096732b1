import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeSdkModules, SDK_FOLDER } from './sdk-modules.ts'

for (const [name, source] of Object.entries(makeSdkModules())) writeFileSync(join(SDK_FOLDER, name), source)
