import { readFileSync } from 'node:fs'
import { runs } from '../program/cli-context.ts'
import { type Confirmed, confirmedOption } from '../program/confirm.ts'
import { nounCommand, type RegisterCommands } from '../program/create-program.ts'
import { collect, list } from '../program/option-values.ts'
import { removeSignIn, type SignInOptions, setSignIn, showSignIn } from './manage-sign-in.ts'

export const registerSignIn: RegisterCommands = (program, context) => {
  const signIn = nounCommand(
    program,
    'sign-in',
    'organization',
    'How users sign in with MCP clients, in the mode of the API key',
  )
  signIn
    .command('show')
    .description('Show the settings, without the client secret')
    .examples('carabiner sign-in show')
    .action(runs(context, () => showSignIn(context)))
  signIn
    .command('set')
    .description(
      'Replace the settings. The client secret is read from standard input, from CARABINER_CLIENT_SECRET, or asked for',
    )
    .option('--issuer <url>', 'issuer of your OpenID Connect provider')
    .option('--client-id <id>', 'the client that is registered at the provider')
    .option('--client-secret-stdin', 'read the client secret from standard input')
    .option('--public-client', 'the client has no secret')
    .option('--scopes <scopes>', 'besides openid, such as profile,groups (default: profile,email)', list)
    .option('--user-claim <claim>', 'claim with your own ID of the user, such as oid (default: sub)')
    .option('--trust-email', 'accept email addresses that the provider does not mark as verified')
    .option('--accept-assertions', 'enterprise-managed authorization: accept ID-JAGs of the provider')
    .option('--sign-in-url <url>', 'a page of your application that signs users in, instead of a provider')
    .option('--create-users', 'create a Registered User at the first sign-in (default: reject the person)')
    .option('--pack <pack>', 'a Tool Pack that allows sign-in; may be repeated (default: all)', collect)
    .examples(
      'carabiner sign-in set --issuer https://login.example.com --client-id carabiner --create-users',
      'carabiner sign-in set --issuer https://login.example.com --client-id carabiner --client-secret-stdin < secret.txt',
      'carabiner sign-in set --sign-in-url https://app.example.com/connect-client',
    )
    .action(
      runs(context, (options: SignInOptions) => setSignIn(context, options, () => readFileSync(0, 'utf8'))),
    )
  signIn
    .command('remove')
    .description('Turn off sign-in; signed-in clients stop working immediately')
    .addOption(confirmedOption())
    .examples('carabiner sign-in remove --yes')
    .action(runs(context, (options: Confirmed) => removeSignIn(context, options)))
}
