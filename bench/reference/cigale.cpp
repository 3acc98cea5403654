// Two random players at Cigale, mode automne: a plain program to compare the kernels' speed with.
//
//   g++ -O3 -o cigale bench/reference/cigale.cpp && ./cigale [games]
//
// The rules are those of solver/games/cigale with all options at their defaults, written straight down:
// a shuffled pile, a square of cards, chains listed once, one loop a round.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <set>
#include <vector>

#include "stream.h"

constexpr int SIDE = 4, PLACES = SIDE * SIDE, ANTS = 6, TYPES = 4, SPECIES = 6, DECK = 48, TOP = 4;
constexpr int POINTS[] = {0, 1, 3, 6, 10};

struct Card {
    int8_t type, insect;  // insect -1: none
};

using Chain = std::array<int, ANTS>;
using Deck = std::array<Card, DECK>;

void walk(std::vector<int>& path, std::set<Chain>& found) {
    if (path.size() == ANTS) {
        Chain chain;
        std::copy(path.begin(), path.end(), chain.begin());
        std::sort(chain.begin(), chain.end());
        found.insert(chain);
        return;
    }
    const int row = path.back() / SIDE, column = path.back() % SIDE;
    const int steps[4][2] = {{row - 1, column}, {row + 1, column}, {row, column - 1}, {row, column + 1}};
    for (const auto& [r, c] : steps) {
        if (r < 0 || r >= SIDE || c < 0 || c >= SIDE) continue;
        if (std::find(path.begin(), path.end(), r * SIDE + c) != path.end()) continue;
        path.push_back(r * SIDE + c);
        walk(path, found);
        path.pop_back();
    }
}

std::vector<Chain> all_chains() {
    std::set<Chain> found;
    for (int place = 0; place < PLACES; place++) {
        std::vector<int> path{place};
        walk(path, found);
    }
    return {found.begin(), found.end()};
}

Deck full_deck() {
    Deck deck;
    int card = 0;
    for (int8_t type = 0; type < TYPES; type++) {
        for (int plain = 0; plain < DECK / TYPES - SPECIES; plain++) deck[card++] = {type, -1};
        for (int8_t insect = 0; insect < SPECIES; insect++) deck[card++] = {type, insect};
    }
    return deck;
}

struct Seat {
    std::array<int, TYPES> shelf{};
    std::array<int, SPECIES> insects{};

    int score() const {
        int points = 0;
        for (int place : shelf) points += POINTS[place];
        for (int kept : insects) points += POINTS[std::min(kept, TOP)];
        return points;
    }
};

struct Pile {
    Deck cards;
    int left = DECK;

    Card draw(Stream& deal) {
        const int place = deal.below(left);
        const Card card = cards[place];
        cards[place] = cards[--left];
        return card;
    }
};

int play(const Deck& deck, const std::vector<Chain>& chains, Stream& deal,
         std::array<Stream, 2>& luck, std::array<Seat, 2>& seats) {
    Pile pile{deck};
    std::array<Card, PLACES> square;
    for (Card& card : square) card = pile.draw(deal);
    int ant = 0, decisions = 0;
    while (true) {
        const int cigale = 1 - ant;
        const Chain& chain = chains[luck[ant].below(chains.size())];
        std::array<int, TYPES> count{};
        for (int place : chain) count[square[place].type]++;
        int types[TYPES], different = 0;
        for (int type = 0; type < TYPES; type++)
            if (count[type]) types[different++] = type;
        int choice = types[0], guess = types[0];
        decisions++;
        if (different > 1) {
            choice = types[luck[ant].below(different)];
            guess = types[luck[cigale].below(different)];
            decisions++;
        }
        const bool caught = guess == choice;
        Seat& collector = seats[caught ? cigale : ant];
        for (int place : chain)
            if (square[place].type == choice && square[place].insect >= 0)
                collector.insects[square[place].insect]++;
        collector.shelf[choice] = std::min(collector.shelf[choice] + count[choice], TOP);
        const int full = std::count(collector.shelf.begin(), collector.shelf.end(), TOP);
        if (full >= 2 || count[choice] > pile.left) return decisions;
        for (int place : chain)
            if (square[place].type == choice) square[place] = pile.draw(deal);
        if (!caught) ant = cigale;  // the Ant collected: both roles move on
    }
}

int main(int argc, char** argv) {
    const int games = argc > 1 ? std::atoi(argv[1]) : 2'000'000;
    const auto deck = full_deck();
    const auto chains = all_chains();
    double points[2] = {0, 0}, decisions = 0;
    const std::clock_t start = std::clock();
    for (int game = 0; game < games; game++) {
        Stream deal(1, game);
        std::array<Stream, 2> luck{Stream(2, game), Stream(3, game)};
        std::array<Seat, 2> seats;
        decisions += play(deck, chains, deal, luck, seats);
        for (int seat = 0; seat < 2; seat++) points[seat] += seats[seat].score();
    }
    const double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
    std::printf("%zu chains, %.0f games a second of processor time, mean scores %.3f %.3f, mean decisions %.3f\n", chains.size(),
                games / seconds, points[0] / games, points[1] / games, decisions / games);
}
