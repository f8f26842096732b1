import { type BuildProgram, createProgram, type RegisterCommands, runs, topCommand } from '@carabiner/cli'
import { registerAuditTrail } from './audit/audit-commands.ts'
import { registerBackups } from './backups/backup-commands.ts'
import { registerConnectorFiles } from './connectors/connector-file-commands.ts'
import { registerDoctor } from './doctor/doctor-commands.ts'
import { registerInit } from './init/init-commands.ts'
import { registerCells } from './organizations/cell-commands.ts'
import { registerOrg } from './organizations/org-commands.ts'
import { registerPeople } from './people/people-commands.ts'
import { registerService } from './service/service-commands.ts'
import { registerSettings } from './service/settings-file.ts'
import { registerVaultKey } from './vault-key/vault-key-commands.ts'

const registerMigrate: RegisterCommands = (program, context) => {
  topCommand(program, 'migrate', 'operators', 'Bring the database up to date, without starting the service')
    .examples('carabiner migrate')
    .action(runs(context, async () => (await import('./database/with-database.ts')).applyMigrations(context)))
}

/** In the order in which the help lists them. */
const FEATURES: readonly RegisterCommands[] = [
  registerSettings,
  registerInit,
  registerService,
  registerMigrate,
  registerOrg,
  registerPeople,
  registerVaultKey,
  registerBackups,
  registerDoctor,
  registerCells,
  registerAuditTrail,
  registerConnectorFiles,
]

/** All commands: those of the API, and those of operators on the database. */
export const createFullProgram: BuildProgram = context => {
  const program = createProgram(context)
  for (const register of FEATURES) register(program, context)
  return program
}
