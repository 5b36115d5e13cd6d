"""The provider `acme`: asks its model where to click until the model reports that it is done."""

from pydantic import BaseModel

from operator_console.domain.actions import Click
from operator_console.domain.errors import ActionError
from operator_console.domain.frames import ImageNeeds
from operator_console.domain.proposals import Brief, Call, Observation, Proposal
from operator_console.providers.shared.arguments import Arguments
from operator_console.providers.spec import Ingredients, ProviderSpec


class AcmeOptions(BaseModel):  # the section [acme] of the settings file
    answers: tuple[str, ...] = ("500 500",)


class AcmeProvider:
    name = "acme"
    image_needs = ImageNeeds(mime_type="image/png")

    def __init__(self, model: str, options: AcmeOptions) -> None:
        self.model, self._options, self._turn = model, options, 0

    def begin(self, brief: Brief) -> None:
        self._turn = 0

    async def propose(self, observation: Observation) -> Proposal:
        if self._turn == len(self._options.answers):
            return Proposal(calls=(), narration="Done.", finished=True)
        answer = self._options.answers[self._turn]  # here a real provider sends observation.picture to its service
        self._turn += 1
        arguments = Arguments.on_grid(dict(zip("xy", answer.split(), strict=True)), observation.frame.geometry)
        try:
            call = Call(index=0, name="click", action=Click(at=arguments.point()))
        except ActionError as error:
            call = Call(index=0, name="click", action=None, error=error.text)
        return Proposal(calls=(call,), raw=answer.encode())

    async def close(self) -> None:
        pass


def load(model: str, ingredients: Ingredients) -> AcmeProvider:
    return AcmeProvider(model, ingredients.options_as(AcmeOptions))


SPEC = ProviderSpec(name="acme", title="Acme", model_pattern="acme-", load=load, options=lambda: AcmeOptions)
