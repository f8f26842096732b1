import { choice, nounCommand, type RegisterCommands, runs } from '@carabiner/cli'
import type { MapOptions } from './cells.ts'

const CELLS =
  'list of cells: {"cells": [{"name", "address", "database_url_env" or "database_url_file", "key_file"}, …]}'

export const registerCells: RegisterCommands = (program, context) => {
  const cells = nounCommand(program, 'cells', 'operators', 'Several installations behind one load balancer')
  cells
    .command('map')
    .description('Write the map of routing codes, which the load balancer and CELL_MAP use')
    .requiredOption('--cells <path>', CELLS)
    .requiredOption('--to <path>', 'file to replace')
    .addOption(choice('--format <name>', 'format of the map', ['haproxy', 'nginx']).default('haproxy'))
    .examples('carabiner cells map --cells cells.json --to cells.map')
    .action(
      runs(context, async (options: MapOptions) => (await import('./cells.ts')).writeMap(context, options)),
    )
  cells
    .command('list')
    .description('List the organizations of all cells')
    .requiredOption('--cells <path>', CELLS)
    .examples('carabiner cells list --cells cells.json')
    .action(
      runs(context, async (options: { cells: string }) =>
        (await import('./cells.ts')).listCells(context, options),
      ),
    )
  cells
    .command('share-signing-key')
    .description(
      'Give a new cell the signing key of another, so that links stay valid when an organization is moved; before its first start',
    )
    .argument('<from>', 'name of a cell')
    .argument('<to>', 'name of the new cell')
    .requiredOption('--cells <path>', CELLS)
    .examples('carabiner cells share-signing-key a b --cells cells.json')
    .action(
      runs(context, async (from: string, to: string, options: { cells: string }) =>
        (await import('./cells.ts')).shareKey(context, from, to, options),
      ),
    )
}
