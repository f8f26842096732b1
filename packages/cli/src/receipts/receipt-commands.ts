import { runs } from '../program/cli-context.ts'
import { type RegisterCommands, topCommand } from '../program/create-program.ts'
import { type ReceiptOptions, showVerification } from './show-verification.ts'

export const registerReceipts: RegisterCommands = (program, context) => {
  topCommand(
    program,
    'verify-receipt',
    'organization',
    'Verify the receipt of an approval, without a connection. Exit code 1: it is not valid',
  )
    .argument('<file>', 'path of the receipt; - reads standard input')
    .requiredOption(
      '--key <key>',
      'public key of the installation, from its /.well-known/carabiner-receipts.json: path of a JWK or JWK set, or a JWK',
    )
    .option('--call <file>', 'path of the approved call, to check that it is the one in the receipt')
    .examples(
      'carabiner verify-receipt receipt.json --key carabiner-receipts.json',
      'carabiner verify-receipt receipt.json --key carabiner-receipts.json --call call.json --json',
    )
    .action(
      runs(context, (file: string, options: ReceiptOptions) => showVerification(context, file, options)),
    )
}
