import { nounCommand, type RegisterCommands, runs } from '@carabiner/cli'

export const registerVaultKey: RegisterCommands = (program, context) => {
  const vaultKey = nounCommand(
    program,
    'vault-key',
    'operators',
    'The key under which all stored credentials are encrypted',
  )
  vaultKey
    .command('create')
    .description('Create the vault key that production needs, at KEY_FILE')
    .examples('KEY_FILE=./keys/vault.key carabiner vault-key create')
    .action(runs(context, async () => (await import('./manage-vault-key.ts')).createVaultKey(context)))
  vaultKey
    .command('rotate')
    .description('Re-encrypt everything under a new key while the service runs; resumes if interrupted')
    .examples('carabiner vault-key rotate')
    .action(runs(context, async () => (await import('./manage-vault-key.ts')).rotateVaultKey(context)))
  vaultKey
    .command('add')
    .description('Put the next vault key into KEY_FILE, to copy to several machines before rotating')
    .examples('carabiner vault-key add')
    .action(runs(context, async () => (await import('./manage-vault-key.ts')).addNextVaultKey(context)))
}
