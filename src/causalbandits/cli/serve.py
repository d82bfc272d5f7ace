"""Commands of the HTTP service: serve, and the tokens that open it. Parsing only."""

from __future__ import annotations

from typing import Annotated

import typer

from .answers import EXIT_CODES, check_storage, exit_codes, print_answer
from .options import AsJson, StorageUrl

app = typer.Typer()
token = typer.Typer(help="Tokens for the service: create, list, revoke.", no_args_is_help=True)
app.add_typer(token, name="token")

TokenName = Annotated[str, typer.Argument(help="The token's name, such as who will use it.", show_default=False)]


@token.command("create")
def create_token(
    name: TokenName,
    access: Annotated[str, typer.Option(help="read: look only; write: look, ask and tell.", show_default=False)],
    storage: StorageUrl = None,
    as_json: AsJson = False,
) -> None:
    """Make a token and print it. It is shown only this once: the storage keeps a hash."""
    with exit_codes(as_json):
        from ..live.http import tokens

        secret = tokens.create(check_storage(storage), name, access)  # type: ignore[arg-type]  # it checks the access
        print_answer({"name": name, "access": access, "token": secret}, as_json, secret)


@token.command("list")
def list_tokens(storage: StorageUrl = None, as_json: AsJson = False) -> None:
    """List the tokens: their names, what they may do, and which are revoked."""
    with exit_codes(as_json):
        from ..live.http import tokens

        print_answer(tokens.all_tokens(check_storage(storage)), as_json)


@token.command("revoke")
def revoke_token(name: TokenName, storage: StorageUrl = None, as_json: AsJson = False) -> None:
    """Revoke a token at once."""
    with exit_codes(as_json):
        from ..live.http import tokens

        tokens.revoke(check_storage(storage), name)
        print_answer({"name": name}, as_json, f"The token {name} is revoked.")


@app.command(epilog=EXIT_CODES)
def serve(
    storage: StorageUrl = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on; 0 takes a free one.")] = 8000,
    max_body: Annotated[int, typer.Option(help="The largest body of a request, in bytes.")] = 2**20,
    as_json: AsJson = False,
) -> None:
    """Serve the experiments of a storage over HTTP until Ctrl-C. Every request needs a token."""
    with exit_codes(as_json, extra="serve"):
        from ..live.http.server import is_local
        from ..live.http.server import serve as run

        if not is_local(host):
            typer.echo(
                f"causalbandits: other machines can reach {host}, and tokens travel unencrypted; "
                "put a TLS proxy in front.",
                err=True,
            )

        def announce(url: str) -> None:
            print_answer({"url": url}, as_json, f"Serving on {url}; the page for browsers is {url}/docs.")

        run(check_storage(storage), host, port, max_body, ready=announce)
        typer.echo("causalbandits: stopped.", err=True)
